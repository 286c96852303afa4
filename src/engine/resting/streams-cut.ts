/** The streams of one kind that rested at one moment, as parts of bytes. */
import { partOf, type StoredShard } from './resting-parts.js';
import type { RestingShard } from './resting-shard.js';
import type { ShardCut } from './shard-cut.js';

/** Shards that are smaller share a part. */
const partBytes = 512 * 1024;

interface CutShard {
  readonly number: number;
  readonly shard: RestingShard;
  readonly cut: ShardCut;
}

/** Its parts are made once, in order; a shard is free of the cut as soon as its part is made. */
export class StreamsCut {
  constructor(
    private readonly seed: number,
    private readonly shards: readonly CutShard[],
  ) {}

  /** All of them; streams may rest and be woken between two parts. */
  *parts(): Generator<Buffer> {
    let stored: StoredShard[] = [];
    let bytes = 0;
    for (const { number, shard, cut } of this.shards) {
      const shardBytes = cut.toBytes();
      shard.release(cut);
      stored.push([number, shardBytes]);
      bytes += shardBytes.length;
      if (bytes < partBytes) continue;
      yield partOf(this.seed, stored);
      stored = [];
      bytes = 0;
    }
    if (bytes > 0) yield partOf(this.seed, stored);
  }

  /** Nothing of it is kept any more. */
  end(): void {
    for (const { shard, cut } of this.shards) shard.release(cut);
  }
}
