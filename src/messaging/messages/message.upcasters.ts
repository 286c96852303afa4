/** Converts events of older versions when they are read; events on disk are never rewritten. */
import type { MessagePublished } from './message.events.js';

/** Fields that version 1 lacked: callbacks, shared bodies, redaction, where messages came from. */
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

/** Version 2 had no workflow runs. */
type Version2 = Omit<MessagePublished, 'run'>;

/** `MessagePublished`, version 1 to 2. */
export function liftPublishedToVersion2(
  fields: Omit<Version2, keyof typeof sinceVersion2>,
): Version2 {
  return { ...fields, ...sinceVersion2 };
}

/** `MessagePublished`, version 2 to 3. */
export function liftPublishedToVersion3(fields: Version2): MessagePublished {
  return { ...fields, run: null };
}
