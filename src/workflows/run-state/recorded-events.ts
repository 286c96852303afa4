/** Of the events that the journal gives, untyped: those of runs. */
import type { EventEnvelope } from '../../engine/decider.js';
import { type RunEvent, runKind } from './run.events.js';

export function isRunEvent(envelope: EventEnvelope): envelope is EventEnvelope<RunEvent> {
  return envelope.kind === runKind;
}
