/**
 * Wiring of the engine over the store, which is opened before anything else is built, and closed
 * last.
 */
import { Global, Inject, Module } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { EventCodec } from '../../engine/event-codec.js';
import type { PastView } from '../../engine/history/past-moment.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { Intake } from '../../http/intake.js';
import type { Cluster } from '../cluster/cluster.js';
import { readingOptions } from '../lifecycle/reading-options.js';
import { MemoryStart } from '../snapshots/memory-start.js';
import { EngineBuilder } from './engine-builder.js';
import { JournalOpener } from './journal-opener.js';
import { StoreOpener, storageDeadlineMs } from './store-opener.js';

/** The size of the cache for options and bodies of messages in flight, in bytes. */
const payloadBytesMax = 32 * 1024 * 1024;

/**
 * Global, as every feature gets the engine from it. The providers are in the order of a start: the
 * store, its journal, memory, the engine.
 */
@Global()
@Module({
  providers: [
    EventCodec,
    StoreOpener,
    {
      provide: Store,
      inject: [StoreOpener],
      useFactory: (opener: StoreOpener) => opener.open(),
    },
    {
      provide: provided.readingOptions,
      inject: [provided.clock, provided.identifiers, provided.isolatesDamage],
      useFactory: readingOptions,
    },
    JournalOpener,
    {
      provide: provided.journalLog,
      inject: [JournalOpener],
      useFactory: (opener: JournalOpener) => opener.open(),
    },
    {
      provide: Journal,
      inject: [provided.journalLog, EventCodec, provided.past],
      useFactory: (log: PartitionLog, codec: EventCodec, past: PastView | null) =>
        new Journal(log, codec, past ?? undefined),
    },
    MemoryStart,
    EngineBuilder,
    {
      provide: Engine,
      inject: [EngineBuilder],
      useFactory: (builder: EngineBuilder) => builder.build(),
    },
    {
      provide: Payloads,
      inject: [Journal],
      useFactory: (journal: Journal) => new Payloads(journal, payloadBytesMax),
    },
    {
      provide: Intake,
      inject: [Store, provided.cluster],
      useFactory: (store: Store, cluster: Cluster | null) =>
        new Intake(store.freeSpace, cluster?.commits),
    },
  ],
  exports: [Store, provided.readingOptions, Engine, Journal, MemoryStart, Payloads, Intake],
})
export class EngineModule {
  constructor(intake: Intake, life: ProcessLife, @Inject(provided.clock) clock: Clock) {
    const { stop } = intake.report(life, clock);
    life.addStoppable({ name: 'intake', phase: 'doors', deadlineMs: storageDeadlineMs, stop });
  }
}
