/** This server as a node of a cluster: it follows the shared log, owns it, and gives it up. */
import { NotTheOwner, RecordsMissing } from '../../../storage/faults/storage-errors.js';
import type { Store } from '../../../storage/store.js';
import { ClusterNode, type NodeListener } from '../../cluster/node.js';
import { ownershipRules, ownershipTimes } from '../../cluster/rules.js';
import {
  type CountedBatch,
  emptyHistory,
  type HistoryState,
} from '../../cluster/shared-history.js';
import { sleep } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Journal } from '../../engine/journal.js';
import type { RecordedDigests } from '../../engine/snapshots/recorded-digests.js';
import { version } from '../../grammar/version.js';
import type { ClusterOptions } from './cluster-options.js';
import { Follower, type FollowerDuties } from './follower.js';
import type { NodeStanding } from './follower-places.js';
import { KeptPlace } from './kept/kept-place.js';
import type { ClusterRole, ClusterStatus, Membership } from './membership.js';
import { MemoryDoubt } from './memory-doubt.js';
import { SharedCommits } from './shared-commits.js';
import { SharedLogUpkeep } from './shared-log-upkeep.js';
import { SkewWatch } from './skew-watch.js';

/** An append whose outcome is still unknown after this time is sent again. */
const appendMs = 1000;
/** Followers wait up to this much longer than the silence, so that not all claim at once. */
const jitterMsMax = 500;
/** How often a node that took the log checks whether it may serve. */
const lookMs = 10;
const fetched = 'the folder of another node was fetched: the next start goes on from it';
/** How long a node without room for new work leaves the log to nodes that have some. */
const leftMs = 10_000;
/** After this long, an unacknowledged release is abandoned: the others notice the silence. */
const releaseMs = 2000;

/**
 * One instance per process, created before the store is opened. Errors that it cannot recover from
 * go to `fatal`, which ends the process: the next start finds out where this node stands.
 */
export class Cluster implements Membership {
  readonly commits: SharedCommits;
  /** Compares memory with the digests that owners record of theirs; set it before it follows. */
  digests: RecordedDigests | null = null;
  /** What else the node does while it follows; set it before it follows. */
  duties: FollowerDuties | null = null;
  private readonly upkeep: SharedLogUpkeep;
  private readonly skewWatch: SkewWatch;
  /** Gets the results of the digest comparisons. */
  readonly doubt: MemoryDoubt;
  private node: ClusterNode | null = null;
  private follower: Follower | null = null;
  private place: KeptPlace | null = null;
  private role: ClusterRole = 'follower';
  private isLeaving = false;
  /** Once true, memory is ahead of what the follower has folded, even after the log is given up. */
  private hasOwned = false;
  private released = (): void => undefined;
  private isFollowing = (): void => undefined;
  private taken = (): void => undefined;
  private readonly taking = new Promise<void>((resolve) => {
    this.taken = resolve;
  });
  /** Settles once this node follows the shared log, and so can forward requests. */
  readonly following = new Promise<void>((resolve) => {
    this.isFollowing = resolve;
  });

  constructor(private readonly options: ClusterOptions) {
    this.commits = new SharedCommits(options.clock);
    this.upkeep = new SharedLogUpkeep(options, {
      otherOwner: () => this.otherOwner,
      owned: () => {
        const isKept = this.role === 'owner' && this.commits.isOpen && !this.isLeaving;
        return isKept ? (this.node?.state ?? null) : null;
      },
      failed: options.fatal,
    });
    this.skewWatch = new SkewWatch(options.clock, options.logger);
    this.doubt = new MemoryDoubt(options.logger);
  }

  /** Another node reports its place; returns false if this node is not the owner. */
  heard(standing: NodeStanding): boolean {
    return this.upkeep.heard(standing);
  }

  /** The status that `GET /admin/cluster` shows; never waits. */
  get status(): ClusterStatus {
    const { commits, follower, clockSkewMs, role } = this;
    const { epoch, next, sequence, node } = this.node?.state ?? emptyHistory;
    return {
      node: this.options.url,
      version,
      role,
      epoch,
      owner: node,
      place: next,
      sequence,
      appliedSequence: role === 'owner' ? sequence : (follower?.appliedSequence ?? 0),
      heardMsAgo: Math.round(this.node?.heardMsAgo ?? 0),
      clockSkewMs,
      commitMs: commits.commitMs,
      followers: this.upkeep.followers,
    };
  }

  /** Memory holds everything below this offset of the journal; null if it is never behind. */
  get foldedUntil(): number | null {
    return this.hasOwned ? null : (this.follower?.foldedUntil ?? null);
  }

  private get clockSkewMs(): number | null {
    const { clockSkewMs = null } = this.node ?? {};
    return clockSkewMs === null ? null : Math.round(clockSkewMs);
  }

  get mayServe(): boolean {
    return this.role === 'owner' && this.mayAct;
  }

  get mayAct(): boolean {
    return this.commits.isOpen && !this.isLeaving && this.node?.mayAct === true;
  }

  get otherOwner(): string | null {
    const { node = null } = this.node?.state ?? emptyHistory;
    return node === this.options.url ? null : node;
  }

  /**
   * Follows the shared log from the place of this folder; settles once this node has the log and
   * may serve. Rejects with `RecordsMissing` if the folder has another history.
   */
  async follow(store: Store, journal: Journal, engine: Engine): Promise<void> {
    const { options, digests, duties } = this;
    const place = await KeptPlace.open(store);
    this.place = place;
    const state = await place.stateIn(options.log, journal);
    await duties?.begin(options.url);
    const applied = async () => {
      const reached = this.node?.state;
      if (reached !== undefined) await place.keep(reached);
      await duties?.inStep();
    };
    const failed = this.failedFrom(journal);
    const { drops } = place;
    const ports = { store, journal, engine, digests, duties, drops, applied, failed };
    const follower = new Follower(ports);
    this.follower = follower;
    follower.appliedSequence = state.sequence;
    this.node = this.join(state, follower);
    this.isFollowing();
    this.upkeep.follow({ store, journal, place });
    await this.taking;
  }

  /** Called when the rest of the start is done: this node serves. */
  serve(): void {
    if (this.role !== 'taking') return;
    this.role = 'owner';
    this.options.logger.info({ epoch: this.status.epoch }, 'this node owns the shared log');
    this.upkeep.own();
  }

  async handOver(): Promise<void> {
    if (this.role !== 'owner') throw new NotTheOwner('this node does not own the shared log');
    await this.options.leave();
  }

  /** Gives the log up if this node has it, and ends; the store is still open. */
  async stop(): Promise<void> {
    await this.upkeep.stop();
    const held = this.role === 'follower' ? null : await this.release();
    this.node?.close();
    this.commits.close();
    await this.follower?.stop();
    if (held !== null) await this.place?.keep(held);
    await this.options.log.close();
  }

  /**
   * Commits first what was accepted: after a release, nothing from this node counts. Returns the
   * state before it, all of which is in this folder: the next owner may have written by now. Null
   * if the folder may lack some, as that of a node that was still taking the log.
   */
  private async release(): Promise<HistoryState | null> {
    this.isLeaving = true;
    this.commits.leave();
    const { clock } = this.options;
    let isOver = false;
    const over = new Promise<void>((resolve) => {
      const cancel = clock.after(releaseMs, resolve);
      this.released = () => {
        cancel();
        resolve();
      };
    }).then(() => {
      isOver = true;
    });
    const { hasOwned } = this;
    while (hasOwned && !isOver && this.place?.holdsAll !== true) await sleep(clock, lookMs);
    const held = hasOwned && !isOver ? (this.node?.state ?? null) : null;
    if (!isOver) this.node?.release();
    await over;
    return held;
  }

  private join(state: HistoryState, follower: Follower): ClusterNode {
    const { url, clock, identifiers, log } = this.options;
    const random = identifiers.randomBytes(10);
    return new ClusterNode({
      name: url,
      life: random.toString('hex', 0, 8),
      rules: ownershipRules,
      times: ownershipTimes,
      jitterMs: (jitterMsMax * random.readUInt16LE(8)) / 0xffff,
      log,
      clock,
      state,
      appendMs,
      mayClaim: () => this.mayClaim(follower),
      listener: this.listener(follower),
    });
  }

  private mayClaim({ hasRoom }: Follower): boolean {
    const { skewWatch, doubt, clockSkewMs } = this;
    const { heardMsAgo } = this.status;
    if (!hasRoom && heardMsAgo < leftMs) return false;
    return skewWatch.mayClaim(clockSkewMs) && doubt.mayClaim(heardMsAgo);
  }

  private listener(follower: Follower): NodeListener {
    const { fatal, logger } = this.options;
    return {
      readyForMore: () => follower.readyForMore(),
      counted: (batch) => this.counted(batch, follower),
      heard: () => this.skewWatch.look(this.clockSkewMs),
      took: (epoch) => {
        logger.info({ epoch }, 'this node is taking over the shared log');
        this.role = 'taking';
        if (this.node !== null) this.serveOnceProved(follower, this.node).catch(fatal);
      },
      released: () => this.released(),
      stoodDown: () => {
        this.role = 'follower';
        if (this.commits.isOpen) fatal(new NotTheOwner('another node owns the shared log'));
      },
      resync: (start) => this.fetchFolder(start),
      stopped: fatal,
    };
  }

  /** Never settles: the process ends, and its next start continues from the fetched folder. */
  private async fetchFolder(start: number): Promise<never> {
    const { options } = this;
    const { logger, log, fatal } = options;
    logger.warn(
      { start },
      'the shared log starts after the end of this data folder: fetching that of another node',
    );
    if (await options.fetchFolder(log, options)) fatal(new NotTheOwner(fetched));
    return new Promise(() => undefined);
  }

  /** A node that starts empty fetches a folder if the first node's folder was not empty. */
  private failedFrom({ endOffset }: Journal): (error: unknown) => void {
    const mayFetch = endOffset === 0;
    return (error) => {
      if (!mayFetch || !(error instanceof RecordsMissing)) return this.options.fatal(error);
      // Nothing read from now on fits into this folder, and the node must not claim the log.
      this.node?.close();
      this.role = 'follower';
      this.fetchFolder(this.node?.state.next ?? 0).catch(this.options.fatal);
    };
  }

  private counted(batch: CountedBatch, follower: Follower): void {
    // What this node commits itself is in memory already, and is being written to the folder.
    if (!this.commits.isOpen) follower.take(batch);
  }

  private async serveOnceProved(follower: Follower, owner: ClusterNode): Promise<void> {
    const { epoch } = owner.state;
    for (;;) {
      await follower.idle();
      if (this.isLeaving || this.role !== 'taking' || owner.state.epoch !== epoch) return;
      if (owner.mayAct) break;
      await sleep(this.options.clock, lookMs);
    }
    this.hasOwned = true;
    const { drops } = this.place ?? {};
    this.commits.open((body) => owner.submit(body), drops?.note.bind(drops));
    this.taken();
  }
}
