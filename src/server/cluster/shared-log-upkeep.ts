/**
 * What nodes do every few seconds so that the shared log need not keep everything: each node notes
 * how far its folder has come, followers report that to the owner, and the owner removes what no
 * node needs.
 */
import type { Logger } from 'pino';
import type { Store } from '../../../storage/store.js';
import type { CommitLog } from '../../cluster/commit-log.js';
import type { CallingNode } from '../../cluster/forwarding/node-call.js';
import type { HistoryState } from '../../cluster/shared-history.js';
import type { Clock } from '../../engine/clock.js';
import type { Journal } from '../../engine/journal.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import { version } from '../../grammar/version.js';
import { FollowerPlaces, type NodeStanding } from './follower-places.js';
import type { KeptPlace } from './kept/kept-place.js';
import { LogTrimming } from './log-trimming.js';
import type { FollowerStatus } from './membership.js';
import { standingReports } from './standing-reports.js';

const everyMs = 5000;

/** What the upkeep needs from its node. */
export interface UpkeepPorts {
  /** The address of another node that owns the log; null while none is known. */
  otherOwner(): string | null;
  /** The state of the owner; null if this node is not the owner, or is giving the log up. */
  owned(): HistoryState | null;
  /** Called when the node cannot continue. */
  failed(error: unknown): void;
}

/** The folder of the node. */
interface UpkeepFolder {
  readonly store: Store;
  readonly journal: Journal;
  readonly place: KeptPlace;
}

/** The options of a node, as far as the upkeep needs them. */
interface UpkeepOptions extends CallingNode {
  readonly log: CommitLog;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * One instance per node, created by `Cluster`. Its work is never urgent: each run makes up for a
 * failed one.
 */
export class SharedLogUpkeep {
  private folder: UpkeepFolder | null = null;
  private readonly places: FollowerPlaces;
  private readonly trimming: LogTrimming;
  private readonly reports: RepeatedWork;
  private readonly keeping: RepeatedWork;
  private hasRead = false;
  private isTrimming = false;
  private isOver = false;

  constructor(
    private readonly options: UpkeepOptions,
    private readonly ports: UpkeepPorts,
  ) {
    const { clock, retentionMs } = options;
    this.places = new FollowerPlaces(clock, retentionMs);
    this.trimming = new LogTrimming(retentionMs);
    this.reports = standingReports(options, clock, {
      owner: () => ports.otherOwner(),
      standing: () => this.standing,
    });
    this.keeping = new RepeatedWork(clock, everyMs, () =>
      this.keep().catch((error) => ports.failed(error)),
    );
  }

  /** Called when this node follows the log into `folder`. */
  follow(folder: UpkeepFolder): void {
    this.folder = folder;
    this.reports.startNow();
  }

  /** Called when this node owns the log. */
  own(): void {
    void this.reports.stop();
    this.keeping.startNow();
  }

  /** Another node reports its place; returns false if this node is not the owner. */
  heard(standing: NodeStanding): boolean {
    if (this.ports.owned() === null) return false;
    this.places.heard(standing);
    return true;
  }

  /** The followers, as the owner knows them; null if this node is not the owner. */
  get followers(): readonly FollowerStatus[] | null {
    const state = this.ports.owned();
    return state === null ? null : this.places.statusAt(state.next);
  }

  /** Settles when nothing is in progress, except for a removal of entries of the shared log. */
  async stop(): Promise<void> {
    this.isOver = true;
    void this.reports.stop();
    await this.keeping.stop();
  }

  private get standing(): NodeStanding | null {
    const { state = null } = this.folder?.place ?? {};
    return state === null ? null : { node: this.options.url, place: state.next, version };
  }

  private async keep(): Promise<void> {
    const { folder, ports, standing, places } = this;
    const state = ports.owned();
    if (folder === null || standing === null || state === null) return;
    const { store, place } = folder;
    await place.keepLater(state);
    if (!this.hasRead) await places.read(store, standing.node);
    this.hasRead = true;
    if (ports.owned() === null) return;
    await places.write(store, standing);
    await this.trim(folder, state, standing);
  }

  /** Removes entries in the background: that may take long, and a stop must not wait for it. */
  private async trim(
    { store, journal }: UpkeepFolder,
    { next }: HistoryState,
    { place: kept }: NodeStanding,
  ): Promise<void> {
    if (this.isTrimming) return;
    const { clock, log, logger } = this.options;
    const snapshotted = (await store.snapshots.offsets()).at(-2) ?? -1;
    const { slowest } = this.places;
    const end = { place: next, offset: journal.endOffset };
    const before = this.trimming.take(end, clock.monotonic(), { slowest, kept, snapshotted });
    if (before === null) return;
    this.isTrimming = true;
    const failed = (err: unknown) => {
      if (this.isOver) return;
      logger.warn({ err }, 'trimming the shared log failed; it will be retried in a minute');
    };
    void log
      .trim(before)
      .catch(failed)
      .finally(() => {
        this.isTrimming = false;
      });
  }
}
