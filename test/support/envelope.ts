/** An event at a place in the journal, for tests that need no journal. */
import type { DomainEvent, EventEnvelope } from '../../src/engine/decider.js';
import { epochMs } from './given.js';

export function envelope<Event extends DomainEvent>(
  event: Event,
  changes: Partial<Omit<EventEnvelope<Event>, 'event'>> = {},
): EventEnvelope<Event> {
  return {
    kind: 'message',
    id: 'msg_1',
    sequence: 0,
    at: epochMs,
    offset: 7,
    previous: -1,
    by: null,
    body: null,
    byteLength: changes.body?.length ?? 0,
    ...changes,
    event,
  };
}
