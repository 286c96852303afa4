/**
 * Events of runs in the journal: how to recognize them, the terms by which they are found
 * (storage/README.md "Bytes"), and the other events that they refer to. Pure.
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

/** Whether an untyped event of the journal is an event of a run. */
export function isRunEvent(envelope: EventEnvelope): envelope is EventEnvelope<RunEvent> {
  return envelope.kind === runKind;
}

/** Whether an event ends its run. */
export function endsRun(event: RunEvent): event is RunEnd {
  const { type } = event;
  return type === 'RunSucceeded' || type === 'RunFailed' || type === 'RunCanceled';
}

/** The term of the events that set a run's configuration: its start and a takeover. */
export const configuredRunTerm = 'run-started';

/** The fields by which a run, its events and its messages are found. */
export interface RunSearchFields {
  readonly url: string;
  readonly terms: Pick<RunTerms, 'labels' | 'flowControl'> | null;
}

/** The terms of every event of a run; its messages have these terms too, and some of their own. */
export function runTerms(runId: string, { url, terms }: RunSearchFields): readonly string[] {
  const found = [messageTerm.runId(runId), anyRunTerm, messageTerm.url(url)];
  if (terms === null) return found;
  found.push(...terms.labels.map(messageTerm.label));
  if (terms.flowControl !== null) found.push(messageTerm.flowControlKey(terms.flowControl.key));
  return found;
}

/** Journal offsets, named by an event, of events of other streams or of another run. */
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

/**
 * The stream of the run's invoker. If the invoker fails while it waits for this run, resuming it
 * reads how this run has ended.
 */
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
