/**
 * Events of runs in the journal: which they are, what they are found by (storage/README.md "Bytes")
 * and which other events they stand on. Pure.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import { anyRunTerm, messageTerm } from '../../messaging/messages/recorded-events.js';
import {
  type RunEnd,
  type RunEvent,
  type RunStarted,
  type RunTerms,
  runKind,
} from './run.events.js';

/** Of the events that the journal gives, untyped: those of runs. */
export function isRunEvent(envelope: EventEnvelope): envelope is EventEnvelope<RunEvent> {
  return envelope.kind === runKind;
}

/** Whether a run has ended by an event. */
export function endsRun(event: RunEvent): event is RunEnd {
  const { type } = event;
  return type === 'RunSucceeded' || type === 'RunFailed' || type === 'RunCanceled';
}

/** What the events are found by that say how a run is to be called: its start, a takeover. */
export const configuredRunTerm = 'run-started';

/** What a run is found by, and its events and messages. */
export interface RunSearchFields {
  readonly url: string;
  readonly terms: Pick<RunTerms, 'labels' | 'flowControl'> | null;
}

/** The terms of every event of a run; its messages have them too, and more of their own. */
export function runTerms(runId: string, { url, terms }: RunSearchFields): readonly string[] {
  const found = [messageTerm.runId(runId), anyRunTerm, messageTerm.url(url)];
  if (terms === null) return found;
  found.push(...terms.labels.map(messageTerm.label));
  if (terms.flowControl !== null) found.push(messageTerm.flowControlKey(terms.flowControl.key));
  return found;
}

/** Journal offsets of the events of other streams, or of another run, that an event names. */
export function offsetsNamedBy(event: RunEvent): readonly number[] {
  switch (event.type) {
    case 'RunStarted':
      return [...known(event.payloadOffset), ...inheritedBy(event)];
    case 'WaitEnded':
      return known(event.notificationOffset);
    case 'InvocationEnded':
      return [event.endOffset];
    case 'RunFailed':
      return [event.publishedOffset, event.attemptOffset, ...event.canceledOffsets];
    default:
      return nothing;
  }
}

/** A run that failed while it waited for this one asks how it has ended when it is resumed. */
export function invokerOf(_id: string, event: RunEvent) {
  if (event.type !== 'RunStarted' || event.invoker === null) return null;
  return { kind: runKind, id: event.invoker.runId };
}

function inheritedBy({ inherited }: RunStarted): readonly number[] {
  if (inherited === null) return nothing;
  const { entries, waits, notifications } = inherited;
  return [...entries, ...waits, ...notifications].map(({ offset }) => offset);
}

function known(offset: number | null): readonly number[] {
  return offset === null ? nothing : [offset];
}

const nothing: readonly number[] = [];
