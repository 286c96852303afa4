/** Wiring of what people see of schedules ahead and back, and of triggers by hand. */
import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { WhyMessageModule } from '../why/why-message.module.js';
import { ScheduleResults } from './schedule-results.js';
import { ScheduleTimesController } from './schedule-times.controller.js';

/** Stands above `why`, which tells what became of the messages of a trigger. */
@Module({
  imports: [MessagesModule, SchedulesModule, WhyMessageModule],
  controllers: [ScheduleTimesController],
  providers: [ScheduleResults],
})
export class ScheduleTimesModule {}
