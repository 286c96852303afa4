/** What is kept of a publish that the server repeats: of schedules and subscriptions. Pure. */
import type { MessagePublished, MessageTemplate } from '../messages/message.events.js';
import type { ScheduleDefinition } from '../schedules/schedule.events.js';
import type { ScheduleRequest } from './publish.request.js';

/** A message that will be published again and again, and where to: `url` or a group. */
export interface AddressedTemplate {
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** What stays of a `message` that was read for `at`, whenever it is published. */
export function messageTemplate(at: number, message: MessagePublished): AddressedTemplate {
  const { type, url, topicName, notBefore, bodyOffset, callbackOf, ...others } = message;
  const { endpointName, scheduleId, ...kept } = others;
  return {
    url: topicName === null ? url : null,
    topicName,
    message: { delayMs: notBefore - at, ...kept },
  };
}

/** What a schedule keeps. */
export function scheduleDefinition(
  { cron }: ScheduleRequest,
  at: number,
  message: MessagePublished,
): ScheduleDefinition {
  return { cron, ...messageTemplate(at, message) };
}
