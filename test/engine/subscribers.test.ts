import type { EventEnvelope } from '../../src/engine/decider.js';
import { Subscribers } from '../../src/engine/subscribers.js';
import { envelope } from '../support/envelope.js';

const event = (kind: string, id: string) => envelope({ type: 'Happened' }, { kind, id });

/** What a listener of `kinds` has been shown, call by call. */
function listen(subscribers: Subscribers, kinds: readonly string[]): string[] {
  const calls: string[] = [];
  subscribers.add(kinds, (envelopes: readonly EventEnvelope[]) => {
    calls.push(envelopes.map(({ id }) => id).join(' '));
  });
  return calls;
}

describe('a listener of durable events', () => {
  it('is shown the events of its kinds in the order of the journal', () => {
    const subscribers = new Subscribers();
    const both = listen(subscribers, ['message', 'queue']);
    const queues = listen(subscribers, ['queue']);
    subscribers.show([event('queue', 'a'), event('run', 'b'), event('message', 'c')]);
    subscribers.show([event('message', 'd'), event('queue', 'e')]);
    expect(both).toEqual(['a c', 'd e']);
    expect(queues).toEqual(['a', 'e']);
  });

  it('is not called where nothing of its kinds has happened', () => {
    const subscribers = new Subscribers();
    const calls = listen(subscribers, ['queue']);
    subscribers.show([event('message', 'a'), event('run', 'b')]);
    subscribers.show([]);
    expect(calls).toEqual([]);
  });

  it('is shown the very list where all events are of its kinds', () => {
    const subscribers = new Subscribers();
    const shown: unknown[] = [];
    subscribers.add(['message', 'run'], (envelopes) => shown.push(envelopes));
    const envelopes = [event('message', 'a'), event('run', 'b')];
    subscribers.show(envelopes);
    expect(shown[0]).toBe(envelopes);
  });
});
