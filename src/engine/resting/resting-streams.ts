/**
 * The streams of one kind that rest: bytes, found by their ids, and given back when they are
 * wanted. They are spread over shards by a hash of their ids, so that no change of one shard holds
 * the event loop, however many there are.
 */
import { seedOf, shardsIn } from './resting-parts.js';
import { RestingShard, type RestingStream } from './resting-shard.js';
import { allStreams } from './stream-part.js';
import { StreamsCut } from './streams-cut.js';

/** The high bits of a hash say which. */
const shardsMax = 256;
const shardBits = 8;

/** Part of the `ActorDirectory` of the kind, which alone puts streams here and takes them out. */
export class RestingStreams {
  private readonly shards = new Map<number, RestingShard>();
  /** How many streams rest. Read it only. */
  size = 0;
  /** Nothing rests here, so that no stream need be looked for. Read it only. */
  isEmpty = true;
  /** Of each shard its earliest alarm: when it is, Infinity = never, and of which stream. */
  private readonly alarmTimes = new Float64Array(shardsMax).fill(Number.POSITIVE_INFINITY);
  private readonly alarmOffsets = new Float64Array(shardsMax);
  /** See `holdOnly`. */
  private only: ReadonlySet<string> | null = null;

  /** `seed` keeps strangers from choosing ids whose hashes are the same; 32 bits. */
  constructor(private seed: number) {}

  /** Throws where `holdOnly` leaves open whether it rests. */
  has(id: string): boolean {
    return this.firstOffsetOf(id) !== undefined;
  }

  /**
   * Of what `restore` is given only the streams with these ids are put here; a question for
   * another one is an error, since what was given may have it.
   */
  holdOnly(ids: ReadonlySet<string>): void {
    this.only = ids;
    this.isEmpty = false;
  }

  /** Whether a stream may be put here (see `holdOnly`). */
  mayHold(id: string): boolean {
    return this.only === null || this.only.has(id);
  }

  /** The journal offset of its first event; undefined = it does not rest. Throws as `has`. */
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
    this.size += 1;
    this.isEmpty = false;
    // One that is wanted later changes nothing: of a shard only the earliest alarm is known here.
    if (hasAlarm && stream.wantedAt <= (this.alarmTimes[number] ?? 0))
      this.noteAlarm(number, shard);
  }

  /** What `use` makes of a stream that rests; its bytes are only good within. */
  read<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    if (this.only !== null) this.requireHeld(id, this.only);
    const hash = hashOf(id, this.seed);
    const shard = this.shards.get(hash >>> (32 - shardBits));
    const row = shard?.find(id, hash) ?? -1;
    return shard === undefined || row < 0 ? undefined : use(shard.read(row));
  }

  /** As `read`, and the stream rests no more. */
  take<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    if (this.only !== null) this.requireHeld(id, this.only);
    const hash = hashOf(id, this.seed);
    const number = hash >>> (32 - shardBits);
    const shard = this.shards.get(number);
    const row = shard?.find(id, hash) ?? -1;
    if (shard === undefined || row < 0) return undefined;
    const used = use(shard.read(row));
    shard.remove(row);
    this.size -= 1;
    this.isEmpty = this.size === 0 && this.only === null;
    this.noteAlarm(number, shard);
    if (shard.size === 0) this.shards.delete(number);
    return used;
  }

  /** In no order; streams may rest and be woken between two of them. */
  *ids(): Generator<string> {
    for (const shard of [...this.shards.values()])
      for (const row of shard.all()) yield shard.idOf(row);
  }

  /** Every stream of the part; its bytes are only good until something changes here. */
  *all(part = allStreams): Generator<RestingStream> {
    for (const shard of [...this.shards.values()])
      for (const row of shard.all(part)) yield shard.read(row);
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

  /** Everything that rests now, to be stored while this goes on. */
  cut(): StreamsCut {
    const shards = [...this.shards].map(([number, shard]) => ({
      number,
      shard,
      cut: shard.cutNow(),
    }));
    return new StreamsCut(this.seed, shards);
  }

  /** Takes over a part of what rested elsewhere, with alarms; only such parts may be here. */
  restore(part: Buffer): void {
    this.seed = seedOf(part);
    for (const [number, stored] of shardsIn(part)) {
      const shard = RestingShard.fromBytes(stored);
      if (this.only !== null) {
        this.takeSome(shard, this.only);
        continue;
      }
      this.shards.set(number, shard);
      this.size += shard.size;
      this.isEmpty = false;
      this.noteAlarm(number, shard);
    }
  }

  private takeSome(shard: RestingShard, ids: ReadonlySet<string>): void {
    for (const row of shard.all()) {
      if (!ids.has(shard.idOf(row))) continue;
      const stream = shard.read(row);
      this.add(stream, stream.wantedAt < Number.POSITIVE_INFINITY);
    }
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

/** The streams of a part that `restore` takes. */
export function* streamsIn(part: Buffer): Generator<RestingStream> {
  for (const [, stored] of shardsIn(part)) {
    const shard = RestingShard.fromBytes(stored);
    for (const row of shard.all()) yield shard.read(row);
  }
}

/** 32 bits: FNV-1a over the code units, mixed so that high bits are as good as low ones. */
function hashOf(id: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
