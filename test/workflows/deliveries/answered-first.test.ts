import type { RunDelivery } from '../../../src/messaging/messages/run-deliveries.js';
import { causeOf, type OpenDelivery } from '../../../src/workflows/deliveries/answered-first.js';
import { EntryList } from '../../../src/workflows/run-state/entry-list.js';
import { initialStep } from '../../../src/workflows/run-state/known-steps.js';
import { type OpenCall, type StepInfo } from '../../../src/workflows/run-state/run.events.js';
import { planOf, stepInfo } from '../../support/workflows/run-commands.js';

const runOf = (steps: readonly StepInfo[], calls: readonly OpenCall[] = []) => ({
  entries: EntryList.of(
    steps.map((step, offset) => ({ messageId: `msg_${offset}`, offset, step, bytes: 1 })),
  ),
  calls,
});
const delivers = (entry: number): RunDelivery => ({
  runId: 'wfr_1',
  role: 'step',
  entry,
  callId: null,
});
const answers = (callId: string): RunDelivery => ({
  runId: 'wfr_1',
  role: 'callResult',
  entry: -1,
  callId,
});
const open = (entry: number): OpenDelivery => ({
  messageId: `msg_${entry}`,
  entry,
  callStep: null,
});
const openAnswer = (callStep: number): OpenDelivery => ({
  messageId: `msg_answer_${callStep}`,
  entry: -1,
  callStep,
});

/** The start, two sequential steps, the plans of three, a result of each, a step. */
const steps = [
  initialStep,
  stepInfo(1),
  stepInfo(2),
  planOf(3, { concurrent: 3 }),
  planOf(4, { concurrent: 3 }),
  planOf(5, { concurrent: 3 }),
  stepInfo(4, { concurrent: 3 }),
  stepInfo(3, { concurrent: 3 }),
  stepInfo(5, { concurrent: 3 }),
  stepInfo(6),
  planOf(7),
  planOf(8),
];
/** For each entry, the index of the entry whose delivery submitted it. */
const causes = [null, 0, 1, 2, 2, 2, 4, 3, 5, 8, 9, 9];

describe('the delivery that caused another delivery', () => {
  it('is the delivery in which its entry was submitted, and no other open one', () => {
    const run = runOf(steps);
    for (const [entry, cause] of causes.entries()) {
      // All entries but itself, as if all held deliveries had been released by the time limit.
      const others = steps.map((_, index) => open(index)).filter((each) => each.entry !== entry);
      const found = causeOf(delivers(entry), run, others.reverse())?.entry ?? null;
      expect([entry, found]).toEqual([entry, entry === 0 ? null : cause]);
      const without = others.filter((each) => each.entry !== cause);
      expect(causeOf(delivers(entry), run, without)).toBeUndefined();
    }
  });

  it('is the first delivery, if the run is taken over', () => {
    const first = { ...open(0), messageId: 'msg_before' };
    expect(causeOf(delivers(0), runOf([initialStep]), [first])).toBe(first);
  });

  it('is the delivery that requested the call, for the answer of a third party', () => {
    const calls = [
      { step: stepInfo(2, { type: 'Call' }), messageId: 'msg_call' },
      { step: stepInfo(4, { type: 'Call', concurrent: 3 }), messageId: 'msg_branch' },
    ];
    const sequential = runOf(steps.slice(0, 2), calls);
    expect(causeOf(answers('msg_call'), sequential, [open(0), open(1)])?.entry).toBe(1);
    const parallel = runOf(steps.slice(0, 6), calls);
    const plans = [open(3), open(4), open(5)];
    expect(causeOf(answers('msg_branch'), parallel, plans)?.entry).toBe(4);
    expect(causeOf(answers('msg_unknown'), parallel, plans)).toBeUndefined();
  });

  it('is the delivery of the answer, for the result of a call', () => {
    const run = runOf(steps.slice(0, 7));
    const all = [open(3), open(4), openAnswer(3), openAnswer(4)];
    expect(causeOf(delivers(6), run, all)).toBe(all[3]);
    const sequential = runOf([initialStep, stepInfo(1, { type: 'Call' })]);
    expect(causeOf(delivers(1), sequential, [open(0), openAnswer(1)])?.callStep).toBe(1);
  });

  it('does not exist for anything but deliveries to the endpoint of an active run', () => {
    const run = runOf(steps);
    for (const role of ['call', 'failureCallback'] as const) {
      expect(causeOf({ ...delivers(1), role }, run, [open(0)])).toBeUndefined();
    }
    expect(causeOf(delivers(50), run, [open(49), open(11)])).toBeUndefined();
  });
});
