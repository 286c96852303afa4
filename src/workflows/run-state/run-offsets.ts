/** Which other events an event of a run stands on. */
import { type RunEvent, type RunStarted, runKind } from './run.events.js';

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
