/**
 * Up to where in the shared log this folder holds everything: a log of its own in the store, so
 * that a backup has it too. It may lag behind; what is read again is passed over.
 */
import { z } from 'zod';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { type HistoryState } from '../../cluster/shared-history.js';
import { parseJson } from '../../grammar/json.js';

/** The name of the log of places. */
export const placeLogName = '__cluster_place';

const schema = z.object({
  next: z.number(),
  epoch: z.number(),
  sequence: z.number(),
  checksum: z.number(),
  tookAfter: z.number(),
  owner: z.string().nullable(),
  node: z.string().nullable(),
});

/** How far a log has to be in this folder. */
interface Reached {
  readonly log: PartitionLog;
  readonly end: number;
}

export class KeptPlace {
  /** What will be kept once the logs are as far; null = nothing. */
  private proposed: { readonly state: HistoryState; readonly reached: Reached[] } | null = null;

  private constructor(
    private readonly store: Store,
    private readonly log: PartitionLog,
    /** What was kept last; null = this folder has never followed a shared log. */
    private latest: HistoryState | null,
  ) {}

  static async open(store: Store): Promise<KeptPlace> {
    const log = store.log(placeLogName) ?? (await store.createLog(placeLogName));
    const last = log.highWatermark - 1;
    if (last < log.startOffset) return new KeptPlace(store, log, null);
    const [batch] = await log.read(last, { maxRecords: 1 });
    const value = batch?.record(last)?.value;
    const json = parseJson(value ?? Buffer.alloc(0));
    if (!json.ok) throw new Error('the place in the shared log is not JSON');
    return new KeptPlace(store, log, { ...schema.parse(json.value), unfinished: null });
  }

  get state(): HistoryState | null {
    return this.latest;
  }

  /** Keeps `state` now: all that it counts is in this folder. */
  async keep(state: HistoryState): Promise<void> {
    if (state.unfinished !== null || state.next === this.latest?.next) return;
    this.latest = state;
    const { unfinished: _, ...kept } = state;
    await this.log.append([{ key: null, value: Buffer.from(JSON.stringify(kept)) }]).durable;
    await this.log.trimTo(this.log.highWatermark - 1);
  }

  /** Whether all logs have on disk what they were given. */
  get holdsAll(): boolean {
    return this.store.logs().every(({ highWatermark, endOffset }) => highWatermark >= endOffset);
  }

  /**
   * Keeps what was proposed before, if by now all logs have what they had been given then; and
   * proposes `state`, which counts nothing that they were not given.
   */
  async keepLater(state: HistoryState): Promise<void> {
    const { proposed } = this;
    if (proposed?.reached.every(({ log, end }) => log.highWatermark >= end) === true) {
      await this.keep(proposed.state);
    }
    const reached = this.store.logs().map((log) => ({ log, end: log.endOffset }));
    this.proposed = { state, reached };
  }
}
