/**
 * Shards of streams that rest, as parts of bytes:
 *
 *     part    seed of the hashes u32, then shard, shard, ...
 *     shard   number u32, length u32, bytes (`RestingShard.toBytes`)
 */

const seedLength = 4;
const shardHeadLength = 8;

/** A shard's number and its bytes. */
export type StoredShard = readonly [number: number, bytes: Buffer];

/** The part that these shards are, whose streams were placed by hashes of `seed`. */
export function partOf(seed: number, shards: readonly StoredShard[]): Buffer {
  const seedBytes = Buffer.alloc(seedLength);
  seedBytes.writeUInt32LE(seed);
  const pieces: Buffer[] = [seedBytes];
  for (const [number, bytes] of shards) {
    const head = Buffer.alloc(shardHeadLength);
    head.writeUInt32LE(number, 0);
    head.writeUInt32LE(bytes.length, 4);
    pieces.push(head, bytes);
  }
  return Buffer.concat(pieces);
}

/** The seed of a part. */
export function seedOf(part: Buffer): number {
  return part.readUInt32LE(0);
}

/** The bytes are those of the part. */
export function* shardsIn(part: Buffer): Generator<StoredShard> {
  for (let at = seedLength; at < part.length; ) {
    const start = at + shardHeadLength;
    const end = start + part.readUInt32LE(at + 4);
    yield [part.readUInt32LE(at), part.subarray(start, end)];
    at = end;
  }
}
