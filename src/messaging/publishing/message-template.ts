/** What the server stores of a publish that it repeats, for schedules and subscriptions. Pure. */
import type { MessagePublished, MessageTemplate } from '../messages/message.events.js';
import type { ScheduleDefinition } from '../schedules/schedule.events.js';
import type { ScheduleRequest } from './publish.request.js';

/**
 * A message that will be published repeatedly, and its target: either `url` or the URL group
 * `topicName`.
 */
export interface AddressedTemplate {
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** The part of a `message`, read at the time `at`, that is the same at each publish. */
export function messageTemplate(at: number, message: MessagePublished): AddressedTemplate {
  const { type, url, topicName, notBefore, bodyOffset, callbackOf, ...others } = message;
  const { endpointName, scheduleId, ...kept } = others;
  return {
    url: topicName === null ? url : null,
    topicName,
    message: { delayMs: notBefore - at, ...kept },
  };
}

/** The definition that a schedule stores. */
export function scheduleDefinition(
  { cron }: ScheduleRequest,
  at: number,
  message: MessagePublished,
): ScheduleDefinition {
  return { cron, ...messageTemplate(at, message) };
}
