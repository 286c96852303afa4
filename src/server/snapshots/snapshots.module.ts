/** Wiring of the snapshots of memory, which are made while the server works. */
import { Inject, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Store, type StoreOptions } from '../../../storage/store.js';
import { type Clock, sleep } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { guards, JournalSweeper, type SweepGuard } from '../../engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import { provided } from '../../engine/provided.js';
import { DigestRecorder } from '../../engine/snapshots/digest-recorder.js';
import { type CheckPorts, MemoryCheck } from '../../engine/snapshots/memory-check.js';
import { MemoryDigests } from '../../engine/snapshots/memory-digests.js';
import { imageLabel } from '../../engine/snapshots/memory-image.js';
import { type DigestWatch, RecordedDigests } from '../../engine/snapshots/recorded-digests.js';
import { SnapshotKeeper, type SnapshotSource } from '../../engine/snapshots/snapshot-keeper.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Config } from '../configuration/config.js';
import { JournalSweepsModule, sweepStretch } from '../history/journal-sweeps.module.js';
import { digestTimer } from './digest-timer.js';
import { FoldingThread } from './folding-thread.js';
import { MemoryStart } from './memory-start.js';
import { SnapshotMetrics } from './snapshot.metrics.js';
import { SnapshotRunner } from './snapshot-runner.js';

/** How long a stop waits for a last snapshot. */
const stopDeadlineMs = 10_000;

/**
 * If snapshots are off, it only keeps old ones in step with sweeps; a read-only server makes none.
 */
@Module({
  imports: [JournalSweepsModule],
  providers: [
    {
      provide: MemoryDigests,
      inject: [Engine],
      useFactory: (engine: Engine) => new MemoryDigests(engine),
    },
  ],
})
export class SnapshotsModule {
  constructor(
    engine: Engine,
    journal: Journal,
    store: Store,
    start: MemoryStart,
    sweeper: JournalSweeper,
    sweeps: JournalSweeps,
    digests: MemoryDigests,
    life: ProcessLife,
    registry: Registry,
    @Inject(provided.config) config: Config,
    @Inject(provided.clock) clock: Clock,
    @Inject(provided.fileSizes) fileSizes: Pick<StoreOptions, 'segmentBytes'>,
    @Inject(provided.log) log: Logger,
    @Inject(provided.cluster) cluster: Cluster | null,
  ) {
    if (config.snapshotEveryBytes === Number.POSITIVE_INFINITY) {
      sweeper.guard = withoutSnapshots(store);
      return;
    }
    if (life.changesNothing !== null) return;
    const settings = { ...foldingSettings(config), sweepStretch: sweepStretch(config, fileSizes) };
    const label = () => imageLabel(engine, start.build);
    const recorder = new DigestRecorder({ engine, digests, label, now: () => clock.now() });
    // While another node writes the journal, this node must not append to it.
    const mayRecord = () => cluster === null || cluster.commits.refusal === null;
    const heldUntil = () => cluster?.foldedUntil ?? journal.endOffset;
    const source: SnapshotSource = {
      engine,
      codec: start.codec,
      label,
      heldUntil,
      cut: async (offset, standsStill) => {
        if (mayRecord()) await recorder.record(offset, standsStill);
      },
    };
    const { snapshotEveryBytes } = config;
    const keeper = new SnapshotKeeper(source, journal, store.snapshots, snapshotEveryBytes);
    const check = new MemoryCheck(
      journal,
      store.snapshots,
      label,
      checkPorts(clock, sweeps, () => new FoldingThread(settings)),
    );
    sweeper.guard = guards([check, keeper]);
    const metrics = new SnapshotMetrics(registry, () => keeper.unfoldedBytes);
    const hasRoom = () => store.freeSpace.hasRoom;
    const runner = new SnapshotRunner(keeper, check, clock, metrics, hasRoom, log);
    const recordDue = async () => {
      if (mayRecord() && hasRoom()) await recorder.recordDue(heldUntil());
    };
    const timer = digestTimer(recordDue, clock, log);
    if (cluster !== null) {
      const watch = digestWatch(metrics, log, cluster.doubt, () => runner.prove());
      cluster.digests = new RecordedDigests(engine, label, watch);
    }
    const begin = () => {
      keeper.found(start.found);
      if (start.found !== null) metrics.latest(start.found);
      runner.start();
      if (cluster !== null) timer.start();
    };
    // Without any batch in the shared log, a node with an empty folder cannot tell that it lacks
    // the content of this one.
    const announce = async () => {
      const isNew = cluster?.status.sequence === 0 && journal.endOffset > 0;
      if (isNew && mayRecord()) await recorder.record(heldUntil());
    };
    joinLife(life, cluster, { runner, timer, begin, announce });
  }
}

/** The settings that can be passed to another thread. */
function foldingSettings(config: Config) {
  const { deadLetterRetentionMs, groupRetentionMs, groupsMax, consumersMax } = config;
  const { topicsMax, partitionsMax } = config;
  return {
    deadLetterRetentionMs,
    groupRetentionMs,
    groupsMax,
    consumersMax,
    topicsMax,
    partitionsMax,
  };
}

/** The parts that work on snapshots and digests while the server runs. */
interface Snapshotting {
  readonly runner: SnapshotRunner;
  readonly timer: RepeatedWork;
  /** Called when the folder may be changed from now on. */
  readonly begin: () => void;
  /** Called when a cluster node has become the owner of the log. */
  readonly announce: () => Promise<void>;
}

function joinLife(
  life: ProcessLife,
  cluster: Cluster | null,
  { runner, timer, begin, announce }: Snapshotting,
): void {
  // The start of a follower waits while another node serves, but its snapshots do not.
  if (cluster !== null) void cluster.following.then(begin);
  const recover = cluster === null ? async () => begin() : announce;
  life.addRecoverable({ name: 'snapshots', changes: true, recover });
  // Stops before the store: what was added last stops first.
  life.addStoppable({
    name: 'snapshots',
    phase: 'storage',
    deadlineMs: stopDeadlineMs,
    stop: () => {
      void timer.stop();
      return runner.stop();
    },
    cut: () => runner.cut(),
  });
}

/** Removes snapshots left by an earlier setting, as they would not be kept in step with sweeps. */
function withoutSnapshots({ snapshots }: Store): SweepGuard {
  return {
    sweepBegins: (edge) => snapshots.removeBefore(edge),
    sweepEnded: () => undefined,
  };
}

function checkPorts(clock: Clock, sweeps: JournalSweeps, begin: CheckPorts['begin']): CheckPorts {
  return {
    begin,
    isSwept: () => sweeps.edge > 0,
    pause: (ms) => sleep(clock, ms),
    monotonic: () => clock.monotonic(),
  };
}

/** The reactions to a comparison of memory with what the owner has recorded of its own. */
function digestWatch(
  metrics: SnapshotMetrics,
  log: Logger,
  doubt: Cluster['doubt'],
  prove: () => Promise<unknown>,
): DigestWatch {
  return {
    same: (until, isWhole) => {
      metrics.compared(true);
      // A part that agrees says nothing about the part that did not.
      if (isWhole) doubt.compared(true);
      log.debug({ until, isWhole }, 'memory is what the owner has recorded');
    },
    differs: (error) => {
      metrics.compared(false);
      doubt.compared(false);
      log.error({ err: error }, 'memory differs from the digest that the owner recorded');
      // This names the difference between memory and what this folder says.
      void prove();
    },
  };
}
