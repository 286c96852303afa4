import type { DomainEvent } from '../../../src/engine/decider.js';
import { concerns, type Interest } from '../../../src/engine/following/interest.js';
import { envelope } from '../../support/envelope.js';

interface Opened extends DomainEvent {
  readonly type: 'Opened';
  readonly queue: string | null;
  readonly group: string | null;
}
interface Closed extends DomainEvent {
  readonly type: 'Closed';
}

const opened = (queue: string | null, group: string | null = null) =>
  envelope<Opened>({ type: 'Opened', queue, group }, { id: 'a' });
const closed = envelope<Closed>({ type: 'Closed' }, { id: 'a' });

describe('an event concerns one with an interest', () => {
  it('whatever it is, where there is none', () => {
    expect(concerns(undefined, closed, undefined)).toBe(true);
  });

  it('in every event of its type', () => {
    const interest: Interest<Opened | Closed> = { types: { Closed: true } };
    expect(concerns(interest, closed, undefined)).toBe(true);
    expect(concerns(interest, opened('q'), undefined)).toBe(false);
  });

  it('in those that name something in one of some fields', () => {
    const interest: Interest<Opened> = { types: { Opened: ['queue', 'group'] } };
    expect(concerns(interest, opened('q'), undefined)).toBe(true);
    expect(concerns(interest, opened(null, 'g'), undefined)).toBe(true);
    expect(concerns(interest, opened(null), { queue: 'of the state before' })).toBe(false);
  });

  it('in those whose stream has named something, where the event has no such field', () => {
    const interest: Interest<Opened | Closed> = { types: { Closed: ['queue'] } };
    expect(concerns(interest, closed, { queue: 'q' })).toBe(true);
    expect(concerns(interest, closed, { queue: null })).toBe(false);
    expect(concerns(interest, closed, {})).toBe(false);
    expect(concerns(interest, closed, null)).toBe(false);
    expect(concerns(interest, closed, undefined)).toBe(false);
  });

  it('in all of the streams that it follows', () => {
    const interest: Interest<Opened> = { types: {}, streams: [new Set(), new Map([['a', 1]])] };
    expect(concerns(interest, closed, undefined)).toBe(true);
    expect(concerns(interest, envelope(closed.event, { id: 'b' }), undefined)).toBe(false);
  });
});
