import fc from 'fast-check';
import type { DomainEvent, EventEnvelope } from '../../src/engine/decider.js';
import { Followers, meets } from '../../src/engine/followers.js';
import type { AnyInterest, Interest } from '../../src/engine/registration.js';
import { envelope } from '../support/envelope.js';

/** Whether the only follower, which has this interest, is called for an event. */
function concerns(
  interest: AnyInterest | undefined,
  occurred: EventEnvelope,
  before: unknown,
): boolean {
  const interested = new Followers([{ interest }]).of(occurred.event.type);
  return interested.some(({ condition }) => meets(condition, occurred, before));
}

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

describe('an event concerns a follower', () => {
  it('in any case, if it has no interest', () => {
    expect(concerns(undefined, closed, undefined)).toBe(true);
  });

  it('if its interest has every event of the type', () => {
    const interest: Interest<Opened | Closed> = { types: { Closed: true } };
    expect(concerns(interest, closed, undefined)).toBe(true);
    expect(concerns(interest, opened('q'), undefined)).toBe(false);
  });

  it('if the event has a value in one of the fields of its interest', () => {
    const interest: Interest<Opened> = { types: { Opened: ['queue', 'group'] } };
    expect(concerns(interest, opened('q'), undefined)).toBe(true);
    expect(concerns(interest, opened(null, 'g'), undefined)).toBe(true);
    expect(concerns(interest, opened(null), { queue: 'of the state before' })).toBe(false);
  });

  it('if the stream has a value in such a field that the event does not have', () => {
    const interest: Interest<Opened | Closed> = { types: { Closed: ['queue'] } };
    expect(concerns(interest, closed, { queue: 'q' })).toBe(true);
    expect(concerns(interest, closed, { queue: null })).toBe(false);
    expect(concerns(interest, closed, {})).toBe(false);
    expect(concerns(interest, closed, null)).toBe(false);
    expect(concerns(interest, closed, undefined)).toBe(false);
  });

  it('if it follows the stream of the event', () => {
    const interest: Interest<Opened> = { types: {}, streams: [new Set(), new Map([['a', 1]])] };
    expect(concerns(interest, closed, undefined)).toBe(true);
    expect(concerns(interest, envelope(closed.event, { id: 'b' }), undefined)).toBe(false);
  });
});

describe('followers by event type', () => {
  const types = fc.constantFrom('Opened', 'Closed', 'Other');
  const fields = fc.oneof(fc.constant(true as const), fc.subarray(['queue', 'group']));
  const interests = fc.option(
    fc.record(
      {
        types: fc.dictionary(types, fields),
        streams: fc.constant([new Set(['followed'])]),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  const events = fc.record({ type: types, queue: fc.constantFrom(null, 'q') });

  it('are asked in order, and all that an event concerns are found', () => {
    fc.assert(
      fc.property(fc.array(interests), events, fc.boolean(), (given, event, isFollowed) => {
        const all = given.map((interest, index) => ({ interest, index }));
        const occurred = envelope(event, { id: isFollowed ? 'followed' : 'a' });
        const before = { group: 'g' };
        const asked = new Followers(all).of(event.type);
        expect(
          asked
            .filter(({ condition }) => meets(condition, occurred, before))
            .map(({ follower }) => follower.index),
        ).toEqual(
          all
            .filter(({ interest }) => concerns(interest, occurred, before))
            .map(({ index }) => index),
        );
      }),
    );
  });

  it('are found when they join later', () => {
    const all: { readonly interest?: AnyInterest; readonly name: string }[] = [{ name: 'first' }];
    const followers = new Followers(all);
    expect(followers.of('Opened').map(({ follower }) => follower.name)).toEqual(['first']);
    all.push({ name: 'second', interest: { types: { Opened: true } } });
    all.push({ name: 'third', interest: { types: { Closed: true } } });
    expect(followers.of('Opened').map(({ follower }) => follower.name)).toEqual([
      'first',
      'second',
    ]);
  });
});
