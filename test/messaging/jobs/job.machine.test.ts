import fc from 'fast-check';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import {
  type JobState,
  jobMachine,
  type RecordedJobEvent,
} from '../../../src/messaging/jobs/job.machine.js';
import { expectSameWhenStored } from '../../support/stored-machine.js';

const evolution = machineEvolve(jobMachine);
const { isFinal } = evolution;

const stamp = {
  at: fc.integer({ min: 0, max: 5000 }),
  by: fc.constantFrom(null, { name: 'env:1', address: '127.0.0.1', requestId: 'r' }),
};
const events: fc.Arbitrary<RecordedJobEvent> = fc.oneof(
  fc.record({ ...stamp, rate: fc.constantFrom(null, 0.5, 7) }).map((chosen) => ({
    type: 'JobCreated' as const,
    verb: 'retry',
    over: 'deadLetters',
    filters: [{ name: 'label', values: ['a'] }],
    options: ['Svc-Retries', '1'],
    until: 9,
    ...chosen,
  })),
  fc.record({
    ...stamp,
    type: fc.constant('JobAdvanced' as const),
    position: fc.nat(9),
    done: fc.nat(32),
    refusals: fc.constantFrom([], [{ id: 'x', reason: 'gone' }]),
  }),
  fc.record({ ...stamp, type: fc.constant('JobFinished' as const) }),
  fc.record({
    ...stamp,
    type: fc.constant('JobAborted' as const),
    reason: fc.constantFrom(null, 'why'),
  }),
  fc.record({ ...stamp, type: fc.constant('JobForgotten' as const) }),
);

const shown = (state: JobState) => JSON.stringify(jobMachine.getPersistedSnapshot(state));

describe('the life of a job', () => {
  it.each([
    ['absent', ['JobCreated']],
    ['active', ['JobAdvanced', 'JobFinished', 'JobAborted']],
    ['done', ['JobForgotten']],
    ['aborted', ['JobForgotten']],
    ['forgotten', []],
  ] as const)('in the state %s accepts only %j', (state, heard) => {
    const on = Object.keys(jobMachine.states[state]?.config.on ?? {});
    expect(on.sort()).toEqual([...heard].sort());
  });

  it('is the same if it rests and wakes between any two events', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 12 }), (history) => {
        const state = expectSameWhenStored(evolution, shown, history);
        expect(isFinal(state)).toBe(state.value === 'forgotten');
      }),
    );
  });
});
