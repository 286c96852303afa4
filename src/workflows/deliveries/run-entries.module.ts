/** Wiring of what messages ask of the workflows: what they deliver, and in which order. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import { Metrics } from '../../server/metrics/metrics.js';
import { provided } from '../../server/ports.js';
import { activeRun } from '../runs/run-registration.js';
import { AnsweredFirst } from './answered-first.js';
import { RunArchive } from './run-archive.js';
import { RunEntries } from './run-entries.js';

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
    {
      provide: AnsweredFirst,
      inject: [Engine, provided.clock, Metrics],
      useFactory: (engine: Engine, clock: Clock, metrics: Metrics) =>
        new AnsweredFirst((runId) => activeRun(engine, runId), clock, metrics),
    },
  ],
  exports: [AnsweredFirst, RunArchive, RunEntries],
})
export class RunEntriesModule {}
