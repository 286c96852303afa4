import fc from 'fast-check';
import type { Fold } from '../../../src/engine/registration.js';
import type { ScheduleCommand } from '../../../src/messaging/schedules/schedule.commands.js';
import { scheduleDecider } from '../../../src/messaging/schedules/schedule.decider.js';
import type { ScheduleEvent } from '../../../src/messaging/schedules/schedule.events.js';
import { ScheduledMessages } from '../../../src/messaging/schedules/scheduled-messages.projection.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { carriesNothing, commandsTo } from '../../support/deciders/histories.js';
import { scheduleDefinition } from '../../support/schedule-definition.js';

const anySchedule = fc.constantFrom('hourly', 'yearly');
const newYears = [Date.UTC(2026, 0), Date.UTC(2027, 0)];

const scheduleCommands = commandsTo<ScheduleCommand>(
  scheduleDecider.kind,
  fc.oneof(
    fc
      .record({ id: anySchedule, cron: fc.constantFrom('0 * * * *', '0 0 1 1 *', '0 0 30 2 *') })
      .map(({ id, cron }) => ({
        type: 'CreateSchedule' as const,
        id,
        definition: scheduleDefinition({ cron }),
        body: Buffer.from('again'),
      })),
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('TriggerSchedule' as const),
        id: anySchedule,
        dueAt: fc.constantFrom(...newYears),
        definitionOffset: fc.integer({ min: 0, max: 4 }),
        messageIds: fc.constant(['msg_a']),
        error: fc.constantFrom(null, 'connection refused'),
      }),
    },
    fc.record({
      type: fc.constant('TriggerScheduleNow' as const),
      id: anySchedule,
      definitionOffset: fc.integer({ min: 0, max: 4 }),
      messageIds: fc.constant(['msg_a']),
    }),
    fc.record({
      type: fc.constantFrom('PauseSchedule', 'ResumeSchedule', 'DeleteSchedule'),
      id: anySchedule,
    }),
  ),
);

describeLaws({
  decider: scheduleDecider,
  commands: scheduleCommands,
  register(engine) {
    const messages = new ScheduledMessages();
    const folds: readonly Fold<ScheduleEvent>[] = [messages];
    engine.register({ decider: scheduleDecider, view: messages, folds });
    engine.carry('triggerSchedule', carriesNothing);
    return messages;
  },
});
