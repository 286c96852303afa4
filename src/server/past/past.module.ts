/** Wiring of queries about the past: what rebuilds it, and what asks for it. */
import { Inject, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { JournalSweepsModule } from '../history/journal-sweeps.module.js';
import { PastDoor } from './past-door.js';
import type { OpenPast } from './past-server.js';
import { PastViews } from './past-views.js';

/**
 * The injection token for `OpenPast`, which opens a server of the past; null in a server that is
 * one itself.
 */
export const openPast = Symbol('openPast');

/** A thread ends at once. */
const stopDeadlineMs = 1000;

/** Does nothing in a server that is itself one of the past. */
@Module({ imports: [JournalSweepsModule] })
export class PastModule {
  constructor(
    @Inject(openPast) open: OpenPast | null,
    door: PastDoor,
    sweeps: JournalSweeps,
    journal: Journal,
    life: ProcessLife,
    @Inject(provided.clock) clock: Clock,
    @Inject(provided.log) log: Logger,
  ) {
    if (open === null) return;
    const views = new PastViews(open, sweeps, journal, clock, log);
    door.open(views);
    life.addStoppable({
      name: 'what was',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => views.stop(),
    });
  }
}
