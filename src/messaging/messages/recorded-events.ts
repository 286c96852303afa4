/**
 * Events of messages in the journal: how to recognise them, the index terms by which they are found
 * (storage/README.md "Bytes"), and which other events they refer to. Pure.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import {
  type MessageEvent,
  type MessagePublished,
  messageKind,
  type Published,
} from './message.events.js';

/** Whether an event from the journal, whose type is not known yet, belongs to a message. */
export function isMessageEvent(envelope: EventEnvelope): envelope is EventEnvelope<MessageEvent> {
  return envelope.kind === messageKind;
}

/** Whether an event is the publish of a message; null = the event is gone. */
export function isPublished(envelope: EventEnvelope | null): envelope is Published {
  return envelope?.event.type === 'MessagePublished';
}

/** Makes the index term of one property. Publishing and searching must use the same terms. */
export const messageTerm = {
  url: (url: string) => `url:${url}`,
  label: (label: string) => `label:${label}`,
  flowControlKey: (key: string) => `flow:${key}`,
  queueName: (name: string) => `queue:${name}`,
  topicName: (name: string) => `group:${name}`,
  scheduleId: (id: string) => `schedule:${id}`,
  runId: (id: string) => `run:${id}`,
  /** For a callback: the message that it reports on. */
  source: (messageId: string) => `callback-of:${messageId}`,
} as const;

/** A term that every event of a run carries, and every event of a message of a run. */
export const anyRunTerm = 'any-run';

/**
 * A term of events that end a call of a run, or its answer: if its run ends it, only the terms of
 * that run are at hand, and the others are missing.
 */
export const endedCallTerm = 'ended-call';

/** All index terms of a message except its id. They are the same for all of its events. */
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
    // A call to a third party can be found by the URL of its workflow, too.
    if (run.url !== message.url) terms.push(messageTerm.url(run.url));
  }
  return terms;
}

/** Journal offsets of the events that a message refers to: its delivery is composed from them. */
export function offsetsNamedBy(event: MessageEvent): readonly number[] {
  if (event.type !== 'MessagePublished') return nothing;
  const { bodyOffset, callbackOf, run } = event;
  if (bodyOffset === null && callbackOf === null && run === null) return nothing;
  const named: number[] = bodyOffset === null ? [] : [bodyOffset];
  if (callbackOf !== null) named.push(callbackOf.publishedOffset, callbackOf.attemptOffset);
  if (run !== null) named.push(run.startedOffset, run.configurationOffset, run.eventOffset);
  return named;
}

const nothing: readonly number[] = [];

/**
 * The event of the run that a step must be kept with: a run that stalls and is resumed delivers its
 * steps again, with the options of their messages.
 */
export function stepOf(event: MessageEvent): { readonly offset: number } | null {
  if (event.type !== 'MessagePublished' || event.run?.role !== 'step') return null;
  return { offset: event.run.eventOffset };
}
