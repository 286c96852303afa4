import fc from 'fast-check';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import {
  type RecordedScheduleEvent,
  type ScheduleState,
  scheduleMachine,
} from '../../../src/messaging/schedules/schedule.machine.js';
import { scheduleDefinition } from '../../support/schedule-definition.js';
import { expectSameWhenStored } from '../../support/stored-machine.js';

const evolution = machineEvolve(scheduleMachine);
const { initialState, evolve, isFinal } = evolution;

const time = fc.integer({ min: 0, max: 1000 });
const stamp = { at: time, offset: time };
const events: fc.Arbitrary<RecordedScheduleEvent> = fc.oneof(
  fc
    .record({ ...stamp, cron: fc.constantFrom('* * * * *', '0 0 * * *'), nextAt: time })
    .map(({ cron, ...rest }) => ({
      type: 'ScheduleCreated' as const,
      ...scheduleDefinition({ cron }),
      ...rest,
    })),
  fc.record({
    ...stamp,
    type: fc.constant('ScheduleTriggered' as const),
    dueAt: time,
    nextAt: fc.option(time),
    messageIds: fc.subarray(['msg_a', 'msg_b']),
    error: fc.constantFrom(null, 'nobody there'),
  }),
  fc.record({ ...stamp, type: fc.constant('SchedulePaused' as const) }),
  fc.record({ ...stamp, type: fc.constant('ScheduleResumed' as const), nextAt: time }),
  fc.record({ ...stamp, type: fc.constant('ScheduleDeleted' as const) }),
);

const shown = (state: ScheduleState) => JSON.stringify(scheduleMachine.getPersistedSnapshot(state));

describe('the life of a schedule', () => {
  it.each([
    ['absent', ['ScheduleCreated']],
    ['active', ['ScheduleCreated', 'ScheduleTriggered', 'SchedulePaused', 'ScheduleDeleted']],
    ['paused', ['ScheduleCreated', 'ScheduleTriggered', 'ScheduleResumed', 'ScheduleDeleted']],
    ['deleted', []],
  ] as const)('in the state %s accepts only %j', (state, heard) => {
    const on = Object.keys(scheduleMachine.states[state]?.config.on ?? {});
    expect(on.sort()).toEqual([...heard].sort());
  });

  it('is the same if it rests and wakes between any two events', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 12 }), (history) => {
        const state = expectSameWhenStored(evolution, shown, history);
        expect(isFinal(state)).toBe(state.value === 'deleted');
      }),
    );
  });

  it('has a creation time that overwriting does not change', () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 12 }), (history) => {
        const state = history.reduce(evolve, initialState());
        const first = history.find(({ type }) => type === 'ScheduleCreated');
        expect(state.context.createdAt).toBe(first?.at ?? 0);
      }),
    );
  });
});
