/** Wiring of what messages need from workflows: what they deliver, and when they may start. */
import { Global, Module } from '@nestjs/common';
import { DeliveryOrder, RunDeliveries } from '../../messaging/messages/run-deliveries.js';
import { RunsModule } from '../runs/runs.module.js';
import { AnsweredFirst } from './answered-first.js';
import { RunArchive } from './run-archive.js';
import { RunEntries } from './run-entries.js';

/**
 * Global, because messages use both without importing workflows (`RunDeliveries`, `DeliveryOrder`).
 */
@Global()
@Module({
  imports: [RunsModule],
  providers: [
    RunArchive,
    RunEntries,
    { provide: RunDeliveries, useExisting: RunEntries },
    { provide: DeliveryOrder, useClass: AnsweredFirst },
  ],
  exports: [DeliveryOrder, RunArchive, RunDeliveries, RunEntries],
})
export class RunEntriesModule {}
