/** Wiring of what messages ask of the workflows: what they deliver, and in which order. */
import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { DeliveryOrder, RunDeliveries } from '../../messaging/messages/run-deliveries.js';
import { activeRun } from '../runs/run-registration.js';
import { AnsweredFirst } from './answered-first.js';
import { HeldDeliveryMetrics } from './held-delivery.metrics.js';
import { RunArchive } from './run-archive.js';
import { RunEntries } from './run-entries.js';

@Global()
@Module({
  providers: [
    {
      provide: RunArchive,
      inject: [Journal],
      useFactory: (journal: Journal) => new RunArchive(journal),
    },
    {
      provide: RunEntries,
      inject: [Engine, Payloads, RunArchive],
      useFactory: (engine: Engine, payloads: Payloads, archive: RunArchive) =>
        new RunEntries(engine, payloads, archive),
    },
    { provide: RunDeliveries, useExisting: RunEntries },
    {
      provide: DeliveryOrder,
      inject: [Engine, provided.clock, Registry],
      useFactory: (engine: Engine, clock: Clock, registry: Registry) =>
        new AnsweredFirst(
          (runId) => activeRun(engine, runId),
          clock,
          new HeldDeliveryMetrics(registry),
        ),
    },
  ],
  exports: [DeliveryOrder, RunArchive, RunDeliveries, RunEntries],
})
export class RunEntriesModule {}
