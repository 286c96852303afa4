import {
  initialRun,
  type RunState,
  runMachine,
} from '../../../src/workflows/run-state/run.machine.js';
import {
  type OpenMessage,
  runStateName,
  runStateNames,
} from '../../../src/workflows/run-state/run-state-name.policy.js';

const now = 1000;
const message = (changes: Partial<OpenMessage> = {}): OpenMessage => ({
  role: 'step',
  notBefore: now,
  failures: 0,
  ...changes,
});
const due = message();
const later = message({ notBefore: now + 1 });
const again = message({ notBefore: now + 1, failures: 1 });
const answer = message({ role: 'callResult' });
const call = message({ role: 'call' });
const callback = message({ role: 'failureCallback' });

type Value = RunState['value'];

const active = ['running', 'calling', 'invoking', 'waiting'] as const;
const ends = ['succeeded', 'failed', 'canceled'] as const;
const nameOf = (value: Value, ...messages: OpenMessage[]) => runStateName({ value }, messages, now);

it('knows every state of the machine', () => {
  const { absent: _, active: parent, ...others } = runMachine.states;
  expect(Object.keys(parent?.states ?? {})).toEqual(active);
  expect(Object.keys(others)).toEqual(ends);
  expect([...runStateNames].sort()).toEqual([...active, ...ends, 'sleeping'].sort());
});

describe('the state of a run', () => {
  it.each(ends)('is its outcome after its end, whatever its messages do: %s', (end) => {
    for (const each of [due, later, callback]) expect(nameOf(end, each)).toBe(end);
    expect(nameOf(end)).toBe(end);
  });

  it.each(active)('is that of the machine while nothing is due at the endpoint: %s', (state) => {
    expect(nameOf({ active: state })).toBe(state);
    expect(nameOf({ active: state }, call)).toBe(state);
    expect(nameOf({ active: state }, callback)).toBe(state);
  });

  it.each(active)('is running while something is due at the endpoint: %s', (state) => {
    for (const each of [due, answer, again]) {
      expect(nameOf({ active: state }, each)).toBe('running');
      expect(nameOf({ active: state }, later, each)).toBe('running');
    }
  });

  it('is sleeping if it waits only for a time', () => {
    expect(nameOf({ active: 'running' }, later)).toBe('sleeping');
    expect(nameOf({ active: 'running' }, later, later)).toBe('sleeping');
  });

  it.each(active.slice(1))('is not sleeping if it waits for more than a time: %s', (state) => {
    expect(nameOf({ active: state }, later)).toBe(state);
  });

  it('does not exist before the start', () => {
    expect(() => runStateName(initialRun(), [], now)).toThrow('without a start');
  });
});
