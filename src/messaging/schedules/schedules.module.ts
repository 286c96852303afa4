/** Wiring of schedules: their decider, what became of their messages, and their triggers. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { Intake } from '../../http/intake.js';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { messageKind } from '../messages/message.events.js';
import { scheduleDecider } from './schedule.decider.js';
import { ScheduleTriggers } from './schedule.effects.js';
import { ScheduleList } from './schedule-list.js';
import { ScheduledMessages } from './scheduled-messages.projection.js';
import { SchedulesController } from './schedules.controller.js';

/** From so many waiting attempts on, triggers hold back. */
const waitingMax = 1000;

/** A stop waits this long for the triggers that are on their way. */
const stopDeadlineMs = 10_000;

@Module({
  imports: [GatesModule],
  controllers: [SchedulesController],
  providers: [
    {
      provide: ScheduledMessages,
      inject: [
        Engine,
        Payloads,
        Gates,
        Intake,
        ProcessLife,
        provided.clock,
        provided.identifiers,
        provided.log,
      ],
      useFactory: scheduledMessages,
    },
    {
      provide: ScheduleList,
      inject: [Engine, Journal, ScheduledMessages],
      useFactory: (engine: Engine, journal: Journal, messages: ScheduledMessages) =>
        new ScheduleList(engine, journal, messages),
    },
  ],
})
export class SchedulesModule {}

function scheduledMessages(
  engine: Engine,
  payloads: Payloads,
  gates: Gates,
  intake: Intake,
  life: ProcessLife,
  clock: Clock,
  identifiers: Identifiers,
  log: Logger,
): ScheduledMessages {
  const messages = new ScheduledMessages();
  engine.register({ decider: scheduleDecider, view: messages, folds: [messages] });
  engine.follow(messageKind, messages);
  const triggers = new ScheduleTriggers({
    engine,
    payloads,
    clock,
    identifiers,
    hasRoom: () => intake.take(0) === null,
    isCrowded: () => gates.waiting > waitingMax,
    failed: (err, scheduleId) =>
      log.error({ err, scheduleId }, 'a trigger failed; it will be tried again'),
  });
  engine.carry('triggerSchedule', triggers);
  life.addStoppable({
    name: 'schedule triggers',
    phase: 'doors',
    deadlineMs: stopDeadlineMs,
    stop: () => triggers.stop(),
  });
  return messages;
}
