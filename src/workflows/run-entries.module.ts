/** Wiring of what messages ask of the workflows: the entries and headers that they deliver. */
import { Module } from '@nestjs/common';
import { Engine } from '../engine/engine.js';
import { Journal } from '../engine/journal.js';
import { Payloads } from '../engine/payloads.js';
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
  ],
  exports: [RunArchive, RunEntries],
})
export class RunEntriesModule {}
