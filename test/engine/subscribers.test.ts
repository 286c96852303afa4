import type { EventEnvelope } from '../../src/engine/decider.js';
import { Subscribers } from '../../src/engine/followers.js';
import { envelope } from '../support/envelope.js';

const event = (kind: string, id: string) => envelope({ type: 'Happened' }, { kind, id });

/** The events that a listener of `kinds` was shown, call by call. */
function listen(subscribers: Subscribers, kinds: readonly string[]): string[] {
  const calls: string[] = [];
  subscribers.add(kinds, (envelopes: readonly EventEnvelope[]) => {
    calls.push(envelopes.map(({ id }) => id).join(' '));
  });
  return calls;
}

describe('a listener of durable events', () => {
  it('is shown the events of its kinds in journal order', () => {
    const subscribers = new Subscribers();
    const both = listen(subscribers, ['message', 'queue']);
    const queues = listen(subscribers, ['queue']);
    subscribers.show([event('queue', 'a'), event('run', 'b'), event('message', 'c')]);
    subscribers.show([event('message', 'd'), event('queue', 'e')]);
    expect(both).toEqual(['a c', 'd e']);
    expect(queues).toEqual(['a', 'e']);
  });

  it('is not called if nothing of its kinds has happened', () => {
    const subscribers = new Subscribers();
    const calls = listen(subscribers, ['queue']);
    subscribers.show([event('message', 'a'), event('run', 'b')]);
    subscribers.show([]);
    expect(calls).toEqual([]);
  });

  it('is shown the same list object if all events are of its kinds', () => {
    const subscribers = new Subscribers();
    const shown: unknown[] = [];
    subscribers.add(['message', 'run'], (envelopes) => shown.push(envelopes));
    const envelopes = [event('message', 'a'), event('run', 'b')];
    subscribers.show(envelopes);
    expect(shown[0]).toBe(envelopes);
  });
});

describe('a listener with an interest', () => {
  it('is shown what concerns it, and not called if nothing does', () => {
    const subscribers = new Subscribers();
    const followed = new Set(['b']);
    const calls: string[] = [];
    subscribers.add(
      ['message'],
      (envelopes) => calls.push(envelopes.map(({ id }) => id).join(' ')),
      { types: {}, streams: [followed] },
    );
    subscribers.show([event('message', 'a'), event('message', 'b'), event('message', 'c')]);
    subscribers.show([event('message', 'a')]);
    expect(calls).toEqual(['b']);
  });

  it('is shown later events of a stream of which it learns by the same commit', () => {
    const subscribers = new Subscribers();
    const followed = new Set<string>();
    const calls: string[] = [];
    const listener = (envelopes: readonly EventEnvelope[]) => {
      calls.push(envelopes.map(({ id, event: { type } }) => `${id} ${type}`).join(', '));
      for (const { id } of envelopes) followed.add(id);
    };
    subscribers.add(['message'], listener, { types: { Opened: true }, streams: [followed] });
    const of = (id: string, type: string) => envelope({ type }, { kind: 'message', id });
    subscribers.show([of('a', 'Closed'), of('b', 'Opened'), of('a', 'Closed'), of('b', 'Closed')]);
    subscribers.show([of('b', 'Closed'), of('a', 'Closed')]);
    expect(calls).toEqual(['b Opened, b Closed', 'b Closed']);
  });

  it('is shown everything while it serves something, and nothing otherwise', () => {
    const subscribers = new Subscribers();
    const served = new Set<string>();
    const calls: string[] = [];
    subscribers.add(
      ['message'],
      (envelopes) => calls.push(envelopes.map(({ id }) => id).join(' ')),
      { served },
    );
    subscribers.show([event('message', 'a')]);
    served.add('stream');
    subscribers.show([event('message', 'b'), event('queue', 'c')]);
    served.clear();
    subscribers.show([event('message', 'd')]);
    expect(calls).toEqual(['b']);
  });
});
