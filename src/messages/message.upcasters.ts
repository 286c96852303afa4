/** How events that older versions wrote are read; what is on disk is never rewritten. */
import type { MessagePublished } from './message.events.js';

/** What version 1 did not know: callbacks, shared bodies, redaction, where messages came from. */
const sinceVersion2 = {
  bodyOffset: null,
  redaction: null,
  callback: null,
  failureCallback: null,
  callbackOf: null,
  queueName: null,
  topicName: null,
  endpointName: null,
  scheduleId: null,
} as const;

/** `MessagePublished`, version 1 to 2. */
export function liftPublished(
  fields: Omit<MessagePublished, keyof typeof sinceVersion2>,
): MessagePublished {
  return { ...fields, ...sinceVersion2 };
}
