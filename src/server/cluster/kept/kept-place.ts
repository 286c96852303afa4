/**
 * Up to where in the shared log this folder holds everything: a log of its own in the store, so
 * that a backup has it too. It may lag behind; what is read again is passed over.
 */
import { z } from 'zod';
import { RecordsMissing } from '../../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../../storage/log/partition-log.js';
import type { Store } from '../../../../storage/store.js';
import type { CommitLog } from '../../../cluster/commit-log.js';
import { emptyHistory, type HistoryState } from '../../../cluster/shared-history.js';
import type { Journal } from '../../../engine/journal.js';
import { parseJson } from '../../../grammar/json.js';
import { DroppedLogs } from './dropped-logs.js';
import { keepLatest, latestIn } from './latest-record.js';

/** The name of the log of places. */
export const placeLogName = '__cluster_place';

const schema = z.object({
  next: z.number(),
  epoch: z.number(),
  sequence: z.number(),
  checksum: z.number(),
  tookAfter: z.number(),
  /** Earlier versions did not keep it. */
  turnedAt: z.number().optional(),
  owner: z.string().nullable(),
  node: z.string().nullable(),
});

/** Whether this folder has followed a shared log: from the first time on it keeps its place. */
export function hasFollowed(store: Store): boolean {
  return (store.log(placeLogName)?.endOffset ?? 0) > 0;
}

/** How far a log has to be in this folder. */
interface Reached {
  readonly log: PartitionLog;
  readonly end: number;
}

/** One for each node. What it holds is a lower bound: all that lies before it is in the folder. */
export class KeptPlace {
  /** What will be kept once the logs are as far; null = nothing. */
  private proposed: { readonly state: HistoryState; readonly reached: Reached[] } | null = null;

  private constructor(
    private readonly store: Store,
    private readonly log: PartitionLog,
    /** What was kept last; null = this folder has never followed a shared log. */
    private latest: HistoryState | null,
    /** What went from the folder behind its place. */
    readonly drops: DroppedLogs,
  ) {}

  /** Makes its logs where there are none; throws where what they hold cannot be read. */
  static async open(store: Store): Promise<KeptPlace> {
    const log = store.log(placeLogName) ?? (await store.createLog(placeLogName));
    const drops = await DroppedLogs.open(store);
    const value = await latestIn(log);
    if (value === null) return new KeptPlace(store, log, null, drops);
    const json = parseJson(value);
    if (!json.ok) throw new Error('the place in the shared log is not JSON');
    const kept = schema.parse(json.value);
    // It is no later than what was read.
    const { turnedAt = kept.next } = kept;
    return new KeptPlace(store, log, { ...kept, turnedAt, unfinished: null }, drops);
  }

  /** As kept last; null = this folder has never followed a shared log. */
  get state(): HistoryState | null {
    return this.latest;
  }

  /**
   * Where this folder goes on. One that has never followed a log begins where all is still to come,
   * or not at all: rejects with `RecordsMissing` where it has a history, and `log` has another.
   */
  async stateIn(log: Pick<CommitLog, 'end'>, journal: Journal): Promise<HistoryState> {
    if (this.latest !== null) return this.latest;
    if (journal.endOffset > 0 && (await log.end()) > 0) {
      throw new RecordsMissing('this folder has a history that is not that of the shared log');
    }
    await this.keep(emptyHistory);
    return emptyHistory;
  }

  /** Keeps `state` now: all that it counts is in this folder. */
  async keep(state: HistoryState): Promise<void> {
    if (state.unfinished !== null || state.next === this.latest?.next) return;
    this.latest = state;
    const { unfinished: _, ...kept } = state;
    await keepLatest(this.log, kept);
    await this.drops.passed(kept.sequence);
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
