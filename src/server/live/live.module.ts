/** Wiring of the live stream. */
import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { JournalSweepState } from '../../engine/history/journal-sweep.decider.js';
import { journalSweepKind, journalSweepsId } from '../../engine/history/journal-sweep.events.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife, type Stoppable } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { watchStreams } from '../../http/bytes/open-streams.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { LiveRoute } from './live.routes.js';
import { followedKinds } from './live-events.js';
import { LiveViews } from './live-views.js';

/** Streams end at once. */
const stopDeadlineMs = 1000;

@Module({
  providers: [
    LiveRoute,
    {
      provide: LiveViews,
      inject: [Engine, Journal, provided.clock],
      useFactory: (engine: Engine, journal: Journal, clock: Clock) =>
        new LiveViews(journal, clock, () => {
          const state = engine.actors(journalSweepKind).stateOf(journalSweepsId);
          return Math.max(journal.startOffset, (state as JournalSweepState).until);
        }),
    },
  ],
})
export class LiveModule implements OnModuleInit {
  constructor(
    private readonly views: LiveViews,
    private readonly engine: Engine,
    private readonly life: ProcessLife,
    table: RouteTable,
    route: LiveRoute,
    registry: Registry,
  ) {
    table.add(route);
    watchStreams(registry, 'live', () => views.size);
  }

  onModuleInit(): void {
    this.engine.observe(followedKinds, this.views.listener, this.views.interest);
    const stoppable: Stoppable = {
      name: 'live streams',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.views.stop(),
    };
    // Added when the doors are there, they stop before those, which wait for every answer.
    const recover = async () => this.life.addStoppable(stoppable);
    this.life.addRecoverable({ name: stoppable.name, recover });
  }
}
