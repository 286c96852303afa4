/** A schedule as the API shows it (messaging.md 7); absent values are left out. */
import { bodyField, templateFields } from '../messages/message-object.js';
import { redactedBody } from '../messages/redaction.js';
import type { ScheduleState } from './schedule.machine.js';
import type { ScheduledMessageState } from './scheduled-messages.projection.js';
import type { ScheduleObject } from './schedules.openapi.js';
import type { StoredDefinition } from './stored-definitions.js';

/** The object of a schedule; `states` are those of the messages of its last trigger. */
export function scheduleObject(
  definition: StoredDefinition,
  { value, context }: Pick<ScheduleState, 'value' | 'context'>,
  states: Record<string, ScheduledMessageState>,
): ScheduleObject {
  const { id, event, body } = definition;
  return {
    scheduleId: id,
    cron: event.cron,
    destination: event.url ?? event.topicName ?? '',
    createdAt: context.createdAt,
    ...templateFields(event.message),
    ...bodyField(redactedBody(body, event.message.redaction)),
    isPaused: value === 'paused',
    ...triggerFields({ value, context }, states),
  };
}

function triggerFields(
  { value, context }: Pick<ScheduleState, 'value' | 'context'>,
  states: Record<string, ScheduledMessageState>,
) {
  const { lastAt, nextAt, error } = context;
  return {
    ...(lastAt !== null && { lastScheduleTime: lastAt, lastScheduleStates: states }),
    ...(nextAt !== null && value === 'active' && { nextScheduleTime: nextAt }),
    ...(error !== null && { error }),
  };
}
