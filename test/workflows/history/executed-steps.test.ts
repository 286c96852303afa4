import { submittedBy } from '../../../src/workflows/history/executed-steps.js';
import type { RunEvent, StepInfo } from '../../../src/workflows/run-state/run.events.js';

const step = (id: number, name: string, more: Partial<StepInfo> = {}): StepInfo => ({
  id,
  name,
  type: 'Run',
  concurrent: 1,
  target: null,
  ...more,
});
const plan = (target: number) => step(0, `step ${target}`, { target, concurrent: 2 });
const branch = (id: number) => step(id, `step ${id}`, { concurrent: 2 });

const stored = (of: StepInfo, at = 10) => {
  const event: RunEvent = { type: 'StepStored', step: of, messageId: 'msg_1', bytes: 2 };
  return { event, at };
};
const waitEnded = (at = 10) => {
  const event: RunEvent = {
    type: 'WaitEnded',
    step: branch(9),
    eventId: 'e',
    messageId: 'msg_2',
    isTimeout: false,
    notificationId: null,
    notificationOffset: null,
    bytes: 0,
  };
  return { event, at };
};

const names = (own: StepInfo, events: Parameters<typeof submittedBy>[1], startedAt = 5) =>
  submittedBy(own, events, startedAt).map(({ id, target }) => target ?? id);

test.each([
  ['a step that follows', step(1, 'a'), [stored(step(2, 'b'))], [2]],
  ['all plans of a parallel step', step(1, 'a'), [stored(plan(2)), stored(plan(3))], [2, 3]],
  ['nothing that an earlier attempt did', step(1, 'a'), [stored(step(2, 'b'), 4)], []],
  ['what is planned, of its plan', plan(3), [stored(branch(2)), stored(branch(3))], [3]],
  ['what is planned, behind the end of a wait', plan(3), [waitEnded(), stored(branch(3))], [3]],
  ['what follows the last branch', branch(3), [stored(step(4, 'd'))], [4]],
  ['nothing once another branch is last', branch(2), [stored(branch(3)), stored(step(4, 'd'))], []],
  ['nothing once a wait has ended', branch(2), [waitEnded(), stored(step(4, 'd'))], []],
])('an attempt has executed %s', (_what, own, events, expected) => {
  expect(names(own, events)).toEqual(expected);
});
