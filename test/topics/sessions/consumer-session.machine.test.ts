import fc from 'fast-check';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import {
  consumerSessionMachine,
  type SessionEvent,
  type SessionLife,
} from '../../../src/topics/sessions/consumer-session.machine.js';

const { initialState, evolve, isFinal } = machineEvolve(consumerSessionMachine);

const began: SessionEvent = { type: 'CallBegan' };
const timedOut: SessionEvent = { type: 'TimedOut' };
const endedAt = (at: number): SessionEvent => ({ type: 'CallEnded', at });
const lifeAfter = (...events: readonly SessionEvent[]): SessionLife =>
  events.reduce(evolve, initialState());

describe('the life of a session', () => {
  it.each([
    ['awaited', ['CallBegan', 'SessionEnded', 'TimedOut']],
    ['calling', ['CallBegan', 'CallEnded', 'SessionEnded']],
    ['idle', ['CallBegan', 'SessionEnded', 'TimedOut']],
    ['silent', ['CallBegan', 'SessionEnded']],
    ['ended', []],
  ] as const)('in state %s handles %j and nothing else', (state, heard) => {
    const on = Object.keys(consumerSessionMachine.states[state]?.config.on ?? {});
    expect(on.sort()).toEqual(heard);
  });

  it('is calling until the last of its calls has ended', () => {
    expect(lifeAfter(began, began, endedAt(1)).value).toBe('calling');
    const idle = lifeAfter(began, began, endedAt(1), endedAt(2));
    expect(idle.value).toBe('idle');
    expect(idle.context).toEqual({ calls: 0, lastSeenAt: 2 });
  });

  it('is not silent while it calls, nor once it calls again', () => {
    expect(lifeAfter(began, timedOut).value).toBe('calling');
    expect(lifeAfter(began, endedAt(1), timedOut).value).toBe('silent');
    expect(lifeAfter(timedOut, began).value).toBe('calling');
  });

  it('has no time of a last call before the first one has ended', () => {
    expect(lifeAfter(timedOut).context.lastSeenAt).toBeNull();
    expect(lifeAfter(began).context.lastSeenAt).toBeNull();
  });

  it('ends only once, whatever comes afterwards', () => {
    const event = fc.constantFrom(began, timedOut, endedAt(3));
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (before, later) => {
        const ended = lifeAfter(...before, { type: 'SessionEnded' });
        expect(isFinal(ended)).toBe(true);
        expect(later.reduce(evolve, ended)).toBe(ended);
      }),
    );
  });
});
