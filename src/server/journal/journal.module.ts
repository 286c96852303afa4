/** Wiring of the HTTP interface of the journal. */
import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ProcessLife, type Stoppable } from '../../engine/lifecycle/process-life.js';
import { watchStreams } from '../../http/bytes/open-streams.js';
import { JournalSweepsModule } from '../history/journal-sweeps.module.js';
import { RevealsModule } from '../reveals/reveals.module.js';
import { JournalController } from './journal.controller.js';
import { ShownJournal } from './shown-journal.js';

/** Streams end at once. */
const stopDeadlineMs = 1000;

/** Its streams are ended before the doors close, as the doors wait for every answer. */
@Module({
  imports: [JournalSweepsModule, RevealsModule],
  controllers: [JournalController],
  providers: [ShownJournal],
})
export class JournalModule implements OnModuleInit {
  constructor(
    private readonly journal: ShownJournal,
    private readonly life: ProcessLife,
    registry: Registry,
  ) {
    watchStreams(registry, 'journal', () => journal.size);
  }

  onModuleInit(): void {
    const stoppable: Stoppable = {
      name: 'streams of the journal',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.journal.stop(),
    };
    // It is added after the doors, so it stops before them; the doors wait for every answer.
    const recover = async () => this.life.addStoppable(stoppable);
    this.life.addRecoverable({ name: stoppable.name, recover });
  }
}
