/** What the events of a message are found by in the journal (storage/README.md "Bytes"). Pure. */
import type { MessagePublished } from './message.events.js';

/** Makes the index term of one property: what is published and what is searched must agree. */
export const messageTerm = {
  url: (url: string) => `url:${url}`,
  label: (label: string) => `label:${label}`,
  flowControlKey: (key: string) => `flow:${key}`,
  queueName: (name: string) => `queue:${name}`,
  topicName: (name: string) => `group:${name}`,
  scheduleId: (id: string) => `schedule:${id}`,
  runId: (id: string) => `run:${id}`,
  /** Of a callback, the message that it reports on. */
  source: (messageId: string) => `callback-of:${messageId}`,
} as const;

/** What every event of a run carries, and every event of a message of one. */
export const anyRunTerm = 'any-run';

/** Every term of a message beside its id, the same for all of its events. */
export function messageTerms(message: Omit<MessagePublished, 'type'>): readonly string[] {
  const terms = [messageTerm.url(message.url), ...message.labels.map(messageTerm.label)];
  const { flowControl, queueName, topicName, scheduleId, callbackOf, run } = message;
  if (flowControl !== null) terms.push(messageTerm.flowControlKey(flowControl.key));
  if (queueName !== null) terms.push(messageTerm.queueName(queueName));
  if (topicName !== null) terms.push(messageTerm.topicName(topicName));
  if (scheduleId !== null) terms.push(messageTerm.scheduleId(scheduleId));
  if (callbackOf !== null) terms.push(messageTerm.source(callbackOf.messageId));
  if (run !== null) {
    terms.push(messageTerm.runId(run.runId), anyRunTerm);
    // A call to a third party is found by its workflow too.
    if (run.url !== message.url) terms.push(messageTerm.url(run.url));
  }
  return terms;
}
