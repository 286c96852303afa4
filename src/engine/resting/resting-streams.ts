/**
 * The streams of one kind that rest: bytes, found by their ids, and given back when they are
 * wanted. They are spread over shards by a hash of their ids, so that no change of one shard holds
 * the event loop, however many there are.
 */
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

  /** `seed` keeps strangers from choosing ids whose hashes are the same; 32 bits. */
  constructor(private seed: number) {}

  /** How many streams rest. */
  get size(): number {
    return this.count;
  }

  has(id: string): boolean {
    return this.firstOffsetOf(id) !== undefined;
  }

  firstOffsetOf(id: string): number | undefined {
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
    if (this.shards.size === 0) return undefined;
    const hash = hashOf(id, this.seed);
    const shard = this.shards.get(hash >>> (32 - shardBits));
    const row = shard?.find(id, hash) ?? -1;
    return shard === undefined || row < 0 ? undefined : use(shard.read(row));
  }

  /** As `read`, and the stream rests no more. */
  take<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
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
    let pieces = [this.seedBytes()];
    let bytes = 0;
    for (const [number, shard] of this.shards) {
      const stored = shard.toBytes();
      const head = Buffer.alloc(shardHeadLength);
      head.writeUInt32LE(number, 0);
      head.writeUInt32LE(stored.length, 4);
      pieces.push(head, stored);
      bytes += stored.length;
      if (bytes < partBytes) continue;
      yield Buffer.concat(pieces);
      pieces = [this.seedBytes()];
      bytes = 0;
    }
    if (bytes > 0) yield Buffer.concat(pieces);
  }

  /** Takes over a part of what rested elsewhere; only such parts may be here. */
  restore(part: Buffer): void {
    this.seed = part.readUInt32LE(0);
    for (let at = seedLength; at < part.length; ) {
      const start = at + shardHeadLength;
      const end = start + part.readUInt32LE(at + 4);
      const shard = RestingShard.fromBytes(part.subarray(start, end));
      const number = part.readUInt32LE(at);
      this.shards.set(number, shard);
      this.count += shard.size;
      this.noteAlarm(number, shard);
      at = end;
    }
  }

  private seedBytes(): Buffer {
    const bytes = Buffer.alloc(seedLength);
    bytes.writeUInt32LE(this.seed);
    return bytes;
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

const seedLength = 4;
/** The number of a shard u32, its length u32. */
const shardHeadLength = 8;

/** Shards that are smaller share a part. */
const partBytes = 1024 * 1024;

/** FNV-1a over the code units, mixed so that its high bits are as good as its low ones. */
function hashOf(id: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
