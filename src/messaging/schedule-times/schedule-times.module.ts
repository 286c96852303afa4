/** Wiring of the next times and past results of schedules, and of manual triggers. */
import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { WhyMessageModule } from '../why/why-message.module.js';
import { ScheduleResults } from './schedule-results.js';
import { ScheduleTimesController } from './schedule-times.controller.js';

/** Above `why`, which finds the states of the messages of a trigger. */
@Module({
  imports: [MessagesModule, SchedulesModule, WhyMessageModule],
  controllers: [ScheduleTimesController],
  providers: [ScheduleResults],
})
export class ScheduleTimesModule {}
