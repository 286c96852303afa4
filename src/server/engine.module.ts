/**
 * Wiring of the engine over the store: opened before anything is built, closed after everything.
 */
import { Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Disk } from '../../storage/disk/disk.js';
import { openStore, Store } from '../../storage/store.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { EventCodec } from '../engine/event-codec.js';
import type { PastView } from '../engine/history/past-moment.js';
import type { Identifiers } from '../engine/identifiers.js';
import { Journal, openJournalLog } from '../engine/journal.js';
import { ProcessLife } from '../engine/lifecycle/process-life.js';
import { EngineMetrics } from '../engine/metrics/engine.metrics.js';
import { Payloads } from '../engine/payloads.js';
import { provided } from '../engine/provided.js';
import { resumeEffects } from '../engine/recovery.js';
import type { EngineWatch } from '../engine/turn.js';
import type { DurabilitySettings } from '../http/durability.js';
import { Intake } from '../http/intake.js';
import type { Cluster } from './cluster/cluster.js';
import { followJournal } from './development/journal-time.js';
import { journalChain } from './history/journal-chain.js';
import { JournalHeadMetrics } from './history/journal-head.metrics.js';
import { readingOptions } from './lifecycle/reading-options.js';
import type { Ports } from './ports.js';
import { MemoryStart } from './snapshots/memory-start.js';

/** Size of the cache of options and bodies of messages in flight, in bytes. */
const payloadBytesMax = 32 * 1024 * 1024;

/** A stop waits this long for the disk before it goes on without it. */
const storageDeadlineMs = 30_000;

/** Giving up the log that nodes share, so that another one takes it at once. */
const clusterDeadlineMs = 5000;

/** Where the store is, and when an append counts as durable. */
export interface StoreSettings extends DurabilitySettings {
  readonly dataDirectory: string;
}

@Global()
@Module({
  providers: [
    EventCodec,
    {
      provide: Store,
      inject: [
        provided.config,
        provided.disk,
        provided.clock,
        provided.identifiers,
        provided.fileSizes,
        provided.isolatesDamage,
        provided.fatal,
        provided.log,
        provided.past,
        provided.cluster,
        ProcessLife,
        EngineMetrics,
        Registry,
      ],
      useFactory: storeOf,
    },
    {
      provide: provided.readingOptions,
      inject: [provided.clock, provided.identifiers, provided.isolatesDamage],
      useFactory: readingOptions,
    },
    {
      provide: Journal,
      inject: [
        Store,
        EventCodec,
        provided.config,
        provided.disk,
        provided.clock,
        provided.log,
        provided.past,
        ProcessLife,
      ],
      useFactory: journalOf,
    },
    {
      provide: MemoryStart,
      inject: [
        Store,
        EventCodec,
        Journal,
        provided.build,
        provided.clock,
        provided.log,
        provided.past,
      ],
      useFactory: (
        store: Store,
        codec: EventCodec,
        journal: Journal,
        build: string,
        clock: Clock,
        log: Logger,
        past: PastView | null,
      ) => new MemoryStart(store, codec, journal, build, clock, log, past?.goOn),
    },
    {
      provide: Engine,
      inject: [
        Journal,
        MemoryStart,
        EventCodec,
        EngineMetrics,
        ProcessLife,
        provided.clock,
        provided.identifiers,
        provided.liveStates,
        provided.eventsPerCheckpoint,
        provided.fatal,
        provided.log,
        provided.past,
        provided.cluster,
        Store,
      ],
      useFactory: engineOf,
    },
    {
      provide: Payloads,
      inject: [Journal],
      useFactory: (journal: Journal) => new Payloads(journal, payloadBytesMax),
    },
    {
      provide: Intake,
      inject: [Store, provided.cluster, ProcessLife, provided.clock],
      useFactory: intakeOf,
    },
  ],
  exports: [Store, provided.readingOptions, Engine, Journal, MemoryStart, Payloads, Intake],
})
export class EngineModule {}

async function storeOf(
  config: StoreSettings,
  disk: Disk,
  clock: Clock,
  identifiers: Identifiers,
  fileSizes: Ports['fileSizes'],
  isolatesDamage: (logName: string) => boolean,
  fatal: (error: unknown) => void,
  log: Logger,
  past: PastView | null,
  cluster: Cluster | null,
  life: ProcessLife,
  metrics: EngineMetrics,
  registry: Registry,
): Promise<Store> {
  const chain = journalChain(disk, clock, new JournalHeadMetrics(registry), log);
  const store = await openStore(disk, config.dataDirectory, {
    now: clock.now.bind(clock),
    after: clock.after.bind(clock),
    randomBytes: identifiers.randomBytes.bind(identifiers),
    fsync: config.fsync,
    ...fileSizes,
    readOnly: life.changesNothing !== null,
    // What was in topics then is not known: records are no events.
    ...(past !== null && { opens: (name: string) => !isolatesDamage(name) }),
    isolatesDamage,
    chain: chain.options,
    ...(cluster !== null && { commits: cluster.commits }),
    onDamage: ({ message, range }) => log.warn({ range }, `${message}; everything else works`),
    onCommit: metrics.committing,
    onSync: metrics.syncing,
    onFailure: fatal,
  });
  life.addStoppable({
    name: 'store',
    phase: 'storage',
    deadlineMs: storageDeadlineMs,
    stop: () => store.close().finally(() => chain.stop()),
  });
  if (cluster !== null) {
    life.addStoppable({
      name: 'cluster',
      phase: 'commit',
      deadlineMs: clusterDeadlineMs,
      stop: () => cluster.stop(),
    });
  }
  return store;
}

async function journalOf(
  store: Store,
  codec: EventCodec,
  { dataDirectory }: StoreSettings,
  disk: Disk,
  clock: Clock,
  log: Logger,
  past: PastView | null,
  life: ProcessLife,
): Promise<Journal> {
  const journal = await openJournalLog(store);
  if (past === null) {
    const readOnly = life.changesNothing !== null;
    await followJournal({ journal, path: dataDirectory, disk, readOnly }, clock, log);
  }
  return new Journal(journal, codec, past ?? undefined);
}

function intakeOf(store: Store, cluster: Cluster | null, life: ProcessLife, clock: Clock): Intake {
  const intake = new Intake(store.freeSpace, cluster?.commits);
  const { stop } = intake.report(life, clock);
  life.addStoppable({ name: 'intake', phase: 'doors', deadlineMs: storageDeadlineMs, stop });
  return intake;
}

function engineOf(
  journal: Journal,
  start: MemoryStart,
  codec: EventCodec,
  metrics: EngineMetrics,
  life: ProcessLife,
  clock: Clock,
  identifiers: Identifiers,
  liveStates: number,
  checkpointAfter: number,
  fatal: (error: unknown) => void,
  log: Logger,
  past: PastView | null,
  cluster: Cluster | null,
  store: Store,
): Engine {
  const watch: EngineWatch = {
    turnFailed: (error, commands) => {
      metrics.turnFailed();
      const given = commands.map(({ type, kind, id }) => ({ type, kind, id }));
      log.error({ err: error, commands: given }, 'a turn failed; nothing has changed');
    },
    reactionRefused: ({ command: { type, kind, id }, refusal }) => {
      metrics.reactionRefused();
      log.warn({ type, kind, id, reason: refusal.message }, 'a reaction was refused and dropped');
    },
  };
  const engine = new Engine(journal, codec, clock, identifiers, watch, liveStates, checkpointAfter);
  if (life.changesNothing !== null) engine.effects.changeNothing();
  // What was wanted then has run long ago.
  if (past !== null) engine.effects.stop();
  life.addRecoverable({
    name: 'journal',
    recover: async () => {
      await start.recover(engine);
      // A node of a cluster folds what others commit, until it owns the log itself (ADR 69).
      await cluster?.follow(store, journal, engine);
      engine.requireWhole();
    },
    served: () => {
      cluster?.serve();
      // What is called by an attempt may call back at once: it has to find a server that answers.
      void resumeEffects(engine).catch(fatal);
    },
  });
  life.addStoppable({
    name: 'effects',
    phase: 'doors',
    deadlineMs: storageDeadlineMs,
    stop: () => engine.effects.stop(),
  });
  life.addStoppable({
    name: 'journal',
    phase: 'commit',
    deadlineMs: storageDeadlineMs,
    stop: () => engine.durable(),
  });
  return engine;
}
