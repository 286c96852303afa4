/** A schedule as the API shows it (messaging protocol 2.7); absent values are left out. */
import type { EventEnvelope } from '../engine/decider.js';
import {
  bodyField,
  callbackHeader,
  flowControlFields,
  headerMap,
  labelFields,
} from '../messages/message-object.js';
import { redactedBody, redactedHeaders } from '../messages/redaction.js';
import type { ScheduleCreated } from './schedule.events.js';
import type { ScheduleState } from './schedule.machine.js';
import type { ScheduledMessageState } from './scheduled-messages.projection.js';
import type { ScheduleObject } from './schedules.openapi.js';

/** What a schedule is shown as; `states` are those of its last trigger's messages. */
export function scheduleObject(
  definition: EventEnvelope<ScheduleCreated>,
  { value, context }: ScheduleState,
  states: Record<string, ScheduledMessageState>,
): ScheduleObject {
  const { id, event, body } = definition;
  const { message } = event;
  const { redaction, queueName, retryDelay } = message;
  return {
    scheduleId: id,
    cron: event.cron,
    destination: event.url ?? event.topicName ?? '',
    method: message.method,
    createdAt: context.createdAt,
    header: redactedHeaders(headerMap(message.contentType, message.headers), redaction),
    ...bodyField(redactedBody(body, redaction)),
    retries: message.maxRetries,
    ...(message.delayMs > 0 && { delay: seconds(message.delayMs) }),
    ...(message.timeoutMs !== null && { timeout: seconds(message.timeoutMs) }),
    ...callbackFields(event),
    callerIP: message.callerIp,
    isPaused: value === 'paused',
    ...(queueName !== null && { queueName }),
    ...labelFields(message.labels),
    ...flowControlFields(message.flowControl),
    ...(retryDelay !== null && { retryDelayExpression: retryDelay }),
    ...triggerFields({ value, context }, states),
  };
}

function callbackFields({ message }: ScheduleCreated) {
  const { callback, failureCallback } = message;
  return {
    ...(callback !== null && {
      callback: callback.url,
      callbackHeader: callbackHeader(callback, message),
    }),
    ...(failureCallback !== null && {
      failureCallback: failureCallback.url,
      failureCallbackHeader: callbackHeader(failureCallback, message),
    }),
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

/** Whole seconds; a part of one counts as one. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
