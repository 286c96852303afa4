/** Wiring of schedules: their entity, their routes, and their triggers. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { GatesModule } from '../gates/gates.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { UrlGroupsModule } from '../url-groups/url-groups.module.js';
import { ScheduleTriggers } from './schedule.effects.js';
import { Schedules } from './schedule.entity.js';
import { ScheduleMetrics } from './schedule.metrics.js';
import { ScheduleList } from './schedule-list.js';
import { SchedulePublisher } from './schedule-publisher.js';
import { SchedulesController } from './schedules.controller.js';
import { StoredDefinitions } from './stored-definitions.js';

/** How long a stop waits for triggers that are running. */
const stopDeadlineMs = 10_000;

/** A stop waits up to 10 s for triggers that are running. */
@Module({
  imports: [GatesModule, MessagesModule, UrlGroupsModule],
  controllers: [SchedulesController],
  providers: [
    ScheduleList,
    ScheduleMetrics,
    SchedulePublisher,
    Schedules,
    ScheduleTriggers,
    StoredDefinitions,
  ],
  exports: [SchedulePublisher, Schedules],
})
export class SchedulesModule {
  constructor(
    engine: Engine,
    triggers: ScheduleTriggers,
    schedules: Schedules,
    metrics: ScheduleMetrics,
    life: ProcessLife,
  ) {
    schedules.observe(metrics.listener, metrics.interest);
    engine.carry('triggerSchedule', triggers);
    life.addStoppable({
      name: 'schedule triggers',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => triggers.stop(),
    });
  }
}
