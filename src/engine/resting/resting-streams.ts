/**
 * The streams of one kind that rest: bytes, found by their ids, and given back when they are
 * wanted. They are spread over shards by a hash of their ids, so that no change of one shard holds
 * the event loop, however many there are.
 */
import { hashOf } from './id-hash.js';
import { partOf, type StoredShard, seedOf, shardsIn } from './resting-parts.js';
import { RestingShard, type RestingStream } from './resting-shard.js';

/** The high bits of a hash say which. */
const shardsMax = 256;
const shardBits = 8;

export class RestingStreams {
  private readonly shards = new Map<number, RestingShard>();
  private count = 0;
  /** Of each shard its earliest alarm: when it is, Infinity = never, and of which stream. */
  private readonly alarmTimes = new Float64Array(shardsMax).fill(Number.POSITIVE_INFINITY);
  private readonly alarmOffsets = new Float64Array(shardsMax);
  /** See `holdOnly`. */
  private only: ReadonlySet<string> | null = null;
  /** Numbers of the shards of which `restore` has taken some. */
  private readonly taken = new Set<number>();

  /** `seed` keeps strangers from choosing ids whose hashes are the same; 32 bits. */
  constructor(private seed: number) {}

  /** How many streams rest. */
  get size(): number {
    return this.count;
  }

  has(id: string): boolean {
    return this.firstOffsetOf(id) !== undefined;
  }

  /**
   * Of what `restore` is given only the streams with these ids are put here; a question for
   * another one is an error, since what was given may have it. `merge` puts them together
   * again.
   */
  holdOnly(ids: ReadonlySet<string>): void {
    this.only = ids;
  }

  firstOffsetOf(id: string): number | undefined {
    if (this.only !== null) this.requireHeld(id, this.only);
    const hash = hashOf(id, this.seed);
    const shard = this.shards.get(hash >>> (32 - shardBits));
    const row = shard?.find(id, hash) ?? -1;
    return row < 0 ? undefined : shard?.firstOffsetOf(row);
  }

  /** A stream that does not rest yet; with an alarm it is given by `takeDue` when it is wanted. */
  add(stream: RestingStream, hasAlarm: boolean): void {
    const hash = hashOf(stream.id, this.seed);
    const number = hash >>> (32 - shardBits);
    let shard = this.shards.get(number);
    if (shard === undefined) {
      shard = new RestingShard();
      this.shards.set(number, shard);
    }
    shard.add(stream, hash, hasAlarm);
    this.count += 1;
    if (hasAlarm) this.noteAlarm(number, shard);
  }

  /** What `use` makes of a stream that rests; its bytes are only good within. */
  read<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    if (this.only !== null) this.requireHeld(id, this.only);
    if (this.shards.size === 0) return undefined;
    const hash = hashOf(id, this.seed);
    const shard = this.shards.get(hash >>> (32 - shardBits));
    const row = shard?.find(id, hash) ?? -1;
    return shard === undefined || row < 0 ? undefined : use(shard.read(row));
  }

  /** As `read`, and the stream rests no more. */
  take<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    if (this.only !== null) this.requireHeld(id, this.only);
    if (this.shards.size === 0) return undefined;
    const hash = hashOf(id, this.seed);
    const number = hash >>> (32 - shardBits);
    const shard = this.shards.get(number);
    const row = shard?.find(id, hash) ?? -1;
    if (shard === undefined || row < 0) return undefined;
    const used = use(shard.read(row));
    shard.remove(row);
    this.count -= 1;
    this.noteAlarm(number, shard);
    if (shard.size === 0) this.shards.delete(number);
    return used;
  }

  *ids(): Generator<string> {
    for (const shard of [...this.shards.values()])
      for (const row of shard.all()) yield shard.idOf(row);
  }

  /** Every stream; its bytes are only good until something changes here. */
  *all(): Generator<RestingStream> {
    for (const shard of [...this.shards.values()])
      for (const row of shard.all()) yield shard.read(row);
  }

  /** The earliest time at which a stream with an alarm is wanted; Infinity = there is none. */
  nextAlarm(): number {
    return this.alarmTimes[this.earliestShard()] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The id of a stream that is wanted by `now`, the earliest first, of equal ones that which began
   * first; it has no alarm any more.
   */
  takeDue(now: number): string | undefined {
    const number = this.earliestShard();
    const shard = this.shards.get(number);
    if (shard === undefined || (this.alarmTimes[number] ?? 0) > now) return undefined;
    const id = shard.takeAlarm();
    this.noteAlarm(number, shard);
    return id;
  }

  /** Everything, in parts. */
  *toParts(): Generator<Buffer> {
    let stored: StoredShard[] = [];
    let bytes = 0;
    for (const [number, shard] of this.shards) {
      const shardBytes = shard.toBytes();
      stored.push([number, shardBytes]);
      bytes += shardBytes.length;
      if (bytes < partBytes) continue;
      yield partOf(this.seed, stored);
      stored = [];
      bytes = 0;
    }
    if (bytes > 0) yield partOf(this.seed, stored);
  }

  /** Takes over a part of what rested elsewhere, with alarms; only such parts may be here. */
  restore(part: Buffer): void {
    this.seed = seedOf(part);
    for (const [number, stored] of shardsIn(part)) {
      const shard = RestingShard.fromBytes(stored);
      if (this.only !== null) {
        this.takeSome(number, shard, this.only);
        continue;
      }
      this.shards.set(number, shard);
      this.count += shard.size;
      this.noteAlarm(number, shard);
    }
  }

  /**
   * A part that `restore` has taken some of, with what became of those; they rest here no more.
   * What is left after all parts, `toParts` gives.
   */
  merge(part: Buffer): Buffer {
    const stored: StoredShard[] = [];
    for (const [number, bytes] of shardsIn(part)) {
      const own = this.shards.get(number);
      if (own === undefined && !this.taken.has(number)) {
        stored.push([number, bytes]);
        continue;
      }
      const merged = this.merged(RestingShard.fromBytes(bytes), own);
      if (merged.size > 0) stored.push([number, merged.toBytes()]);
      this.shards.delete(number);
      this.count -= own?.size ?? 0;
    }
    return partOf(this.seed, stored);
  }

  private takeSome(number: number, shard: RestingShard, ids: ReadonlySet<string>): void {
    for (const row of shard.all()) {
      if (!ids.has(shard.idOf(row))) continue;
      const stream = shard.read(row);
      this.add(stream, stream.wantedAt < Number.POSITIVE_INFINITY);
      this.taken.add(number);
    }
  }

  private merged(base: RestingShard, own: RestingShard | undefined): RestingShard {
    const merged = new RestingShard();
    const add = (shard: RestingShard, isMeant: (id: string) => boolean) => {
      for (const row of shard.all()) {
        const id = shard.idOf(row);
        if (isMeant(id)) merged.add(shard.read(row), hashOf(id, this.seed), false);
      }
    };
    add(base, (id) => this.only?.has(id) !== true);
    if (own !== undefined) add(own, () => true);
    return merged;
  }

  private requireHeld(id: string, ids: ReadonlySet<string>): void {
    if (!ids.has(id)) throw new Error(`${id} may rest where only other streams were read`);
  }

  private noteAlarm(number: number, shard: RestingShard): void {
    const { at, firstOffset } = shard.nextAlarm();
    this.alarmTimes[number] = at;
    this.alarmOffsets[number] = firstOffset;
  }

  private earliestShard(): number {
    const { alarmTimes, alarmOffsets } = this;
    let earliest = 0;
    let at = alarmTimes[0] ?? 0;
    for (let number = 1; number < shardsMax; number += 1) {
      const other = alarmTimes[number] ?? 0;
      if (other > at) continue;
      if (other === at && (alarmOffsets[number] ?? 0) >= (alarmOffsets[earliest] ?? 0)) continue;
      earliest = number;
      at = other;
    }
    return earliest;
  }
}

/** Shards that are smaller share a part. */
const partBytes = 1024 * 1024;
