/** Of the events that the journal gives, untyped: those of runs and those of messages. */
import type { EventEnvelope } from '../../engine/decider.js';
import {
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from '../../messaging/messages/message.events.js';
import { type RunEvent, runKind } from './run.events.js';

export function isRunEvent(envelope: EventEnvelope): envelope is EventEnvelope<RunEvent> {
  return envelope.kind === runKind;
}

export function isMessageEvent(envelope: EventEnvelope): envelope is EventEnvelope<MessageEvent> {
  return envelope.kind === messageKind;
}

/** Whether a message was published by this event. */
export function isPublished(envelope: EventEnvelope): envelope is EventEnvelope<MessagePublished> {
  return isMessageEvent(envelope) && envelope.event.type === 'MessagePublished';
}
