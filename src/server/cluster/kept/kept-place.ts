/**
 * The place in the shared log up to which this folder holds everything. It is kept in a log of its
 * own in the store, so that a backup has it too. It may lag behind; entries that are read again are
 * skipped.
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

/** The name of the log with the places. */
export const placeLogName = '__cluster_place';

const schema = z.object({
  next: z.number(),
  epoch: z.number(),
  sequence: z.number(),
  checksum: z.number(),
  tookAfter: z.number(),
  /** Earlier versions did not keep this field. */
  turnedAt: z.number().optional(),
  owner: z.string().nullable(),
  node: z.string().nullable(),
});

/** Whether this folder has followed a shared log: from then on, it keeps its place in that log. */
export function hasFollowed(store: Store): boolean {
  return (store.log(placeLogName)?.endOffset ?? 0) > 0;
}

/** The end that a log must reach in this folder. */
interface Reached {
  readonly log: PartitionLog;
  readonly end: number;
}

/** One instance per node. The place is a lower bound: everything before it is in the folder. */
export class KeptPlace {
  /** The state to keep once the logs have reached these ends; null = none. */
  private proposed: { readonly state: HistoryState; readonly reached: Reached[] } | null = null;

  private constructor(
    private readonly store: Store,
    private readonly log: PartitionLog,
    /** The state that was kept last; null if this folder has never followed a shared log. */
    private latest: HistoryState | null,
    /** The logs that were removed from the folder after its place. */
    readonly drops: DroppedLogs,
  ) {}

  /** Creates its logs if there are none; throws if their content cannot be read. */
  static async open(store: Store): Promise<KeptPlace> {
    const log = store.log(placeLogName) ?? (await store.createLog(placeLogName));
    const drops = await DroppedLogs.open(store);
    const value = await latestIn(log);
    if (value === null) return new KeptPlace(store, log, null, drops);
    const json = parseJson(value);
    if (!json.ok) throw new Error('the place in the shared log is not JSON');
    const kept = schema.parse(json.value);
    // `next` is a safe default: the turn was no later than what was read.
    const { turnedAt = kept.next } = kept;
    return new KeptPlace(store, log, { ...kept, turnedAt, unfinished: null }, drops);
  }

  /** The state that was kept last; null if this folder has never followed a shared log. */
  get state(): HistoryState | null {
    return this.latest;
  }

  /**
   * Where this folder continues. A folder that has never followed a log starts at the beginning, or
   * not at all: rejects with `RecordsMissing` if it has a history, and `log` has another.
   */
  async stateIn(log: Pick<CommitLog, 'end'>, journal: Journal): Promise<HistoryState> {
    if (this.latest !== null) return this.latest;
    if (journal.endOffset > 0 && (await log.end()) > 0) {
      throw new RecordsMissing('this folder has a history that is not that of the shared log');
    }
    await this.keep(emptyHistory);
    return emptyHistory;
  }

  /** Keeps `state` now: everything that it counts is in this folder. */
  async keep(state: HistoryState): Promise<void> {
    if (state.unfinished !== null || state.next === this.latest?.next) return;
    this.latest = state;
    const { unfinished: _, ...kept } = state;
    await keepLatest(this.log, kept);
    await this.drops.passed(kept.sequence);
  }

  /** Whether all logs have written to disk what they were given. */
  get holdsAll(): boolean {
    return this.store.logs().every(({ highWatermark, endOffset }) => highWatermark >= endOffset);
  }

  /**
   * Keeps the state that was proposed before, if all logs have by now written what they had been
   * given then. Then proposes `state`, which counts only what the logs were given.
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
