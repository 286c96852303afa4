import fc from 'fast-check';
import type { Bar, RunRow } from '../../src/run-waterfall/lane.js';
import { lanesOf, momentsOf } from '../../src/run-waterfall/lanes.js';
import { seed } from '../support/seed.js';

/** One message of a history: how long each of its parts took, and how its attempts ended. */
interface TimedMessage {
  readonly step: number;
  readonly type: 'Run' | 'SleepFor' | 'Call' | 'Wait' | 'Invoke';
  readonly held: number;
  readonly failures: readonly number[];
  readonly took: number;
  readonly next: number;
}

const timedMessage: fc.Arbitrary<TimedMessage> = fc.record({
  step: fc.nat(4),
  type: fc.constantFrom('Run', 'SleepFor', 'Call', 'Wait', 'Invoke'),
  held: fc.nat(500),
  failures: fc.array(fc.nat(300), { maxLength: 3 }),
  took: fc.nat(400),
  next: fc.nat(100),
});

type StepInfo = NonNullable<RunRow['stepInfo']>;

const info = ({ step, type }: TimedMessage, messageId?: string): StepInfo => ({
  stepName: `step ${step}`,
  stepType: type,
  callType: type === 'Call' ? 'toCallback' : 'step',
  concurrent: 1,
  ...(messageId !== undefined && { messageId }),
});

/** The rows of a run of these messages, one after another, as the journal would have them. */
function historyOf(messages: readonly TimedMessage[], ending: string | null): readonly RunRow[] {
  let time = 1_000_000;
  const rows: RunRow[] = [{ time, state: 'RUN_STARTED' }];
  for (const [index, each] of messages.entries()) {
    const stepInfo = info(each, `msg_${index}`);
    if (each.type === 'Wait' || each.type === 'Invoke') {
      const state = each.type === 'Wait' ? 'WAITER_ADDED' : 'INVOKED';
      rows.push({ time, state, stepInfo: info(each) });
      time += each.held;
    }
    const due = each.type === 'SleepFor' ? time + each.held : time;
    rows.push({ time, state: 'CREATED', stepInfo, nextDeliveryTime: due });
    time += each.held;
    for (const failure of each.failures) {
      rows.push({ time, state: 'ACTIVE', stepInfo });
      time += failure;
      rows.push({ time, state: 'ERROR', stepInfo, error: 'it answered 500' });
      rows.push({ time, state: 'RETRY', stepInfo, nextDeliveryTime: time + each.next });
      time += each.next;
    }
    const began = time;
    time += each.took;
    rows.push({ time: began, state: 'ACTIVE', stepInfo });
    const following = messages[index + 1];
    const executed = following === undefined ? [] : [info(following)];
    rows.push({ time, state: 'DELIVERED', stepInfo, executed });
  }
  if (ending !== null) rows.push({ time, state: ending });
  return rows;
}

const history = fc
  .tuple(
    fc.array(timedMessage, { minLength: 1, maxLength: 8 }),
    fc.constantFrom(null, 'RUN_SUCCESS', 'RUN_FAILED', 'RUN_CANCELED'),
  )
  .map(([messages, ending]) => historyOf(messages, ending));

/** A history, and a moment in it. */
const moment = fc.tuple(history, fc.double({ min: 0, max: 1, noNaN: true })).map(([rows, part]) => {
  const last = Math.max(...rows.map(({ time }) => time));
  return [rows, Math.round(1_000_000 + part * (last - 1_000_000))] as const;
});

const barsOf = (rows: readonly RunRow[], until?: number): readonly Bar[] =>
  lanesOf(rows, until).lanes.flatMap(({ bars }) => bars);

const check = (property: fc.IPropertyWithHooks<[readonly [readonly RunRow[], number]]>) =>
  fc.assert(property, { seed, numRuns: 300 });

it('draws nothing but times that the rows have', () => {
  check(
    fc.property(moment, ([rows, until]) => {
      const times = new Set(momentsOf(rows).filter((time) => time <= until));
      for (const { from, until: end } of barsOf(rows, until)) {
        expect(times.has(from)).toBe(true);
        expect(end === null || times.has(end)).toBe(true);
        expect(end === null || end >= from).toBe(true);
      }
    }),
  );
});

it('draws each attempt that had begun, as long as it took', () => {
  check(
    fc.property(moment, ([rows, until]) => {
      const bars = barsOf(rows, until).filter(({ kind }) => kind === 'attempt');
      const seen = rows.filter(({ time }) => time <= until);
      const isOver = seen.some(({ state }) => /^RUN_(?!STARTED)/.test(state));
      const begun = seen.filter(({ state }) => state === 'ACTIVE');
      for (const row of begun) {
        const { messageId } = row.stepInfo ?? {};
        const behind = seen.slice(seen.indexOf(row) + 1);
        const end = behind.find(
          ({ state, stepInfo }) =>
            stepInfo?.messageId === messageId && (state === 'ERROR' || state === 'DELIVERED'),
        );
        const outcome = end === undefined ? 'open' : end.state === 'ERROR' ? 'failed' : 'ok';
        const expected = { from: row.time, until: end?.time ?? null, outcome };
        if (end !== undefined || !isOver)
          expect(bars).toContainEqual(expect.objectContaining(expected));
      }
      expect(bars.filter(({ until: end }) => end === null).length).toBeLessThanOrEqual(1);
    }),
  );
});

it('shows as of a moment what it showed then, and nothing that came later', () => {
  check(
    fc.property(moment, ([rows, until]) => {
      const then = rows.filter(({ time }) => time <= until);
      expect(lanesOf(rows, until)).toEqual(lanesOf(then));
    }),
  );
});

it('keeps what was over by then as it was', () => {
  const overBy = (rows: readonly RunRow[], moment: number, until?: number) =>
    barsOf(rows, until)
      .filter(({ until: end, outcome }) => end !== null && end < moment && outcome !== 'canceled')
      .map(({ kind, from, until: end, outcome }) => `${kind} ${from} ${end} ${outcome}`)
      .sort();
  check(
    fc.property(moment, ([rows, until]) => {
      expect(overBy(rows, until)).toEqual(expect.arrayContaining(overBy(rows, until, until)));
    }),
  );
});

it('leaves nothing open in a run that has ended', () => {
  check(
    fc.property(moment, ([rows]) => {
      const { endedAt } = lanesOf(rows);
      if (endedAt === null) return;
      expect(barsOf(rows).filter(({ until }) => until === null)).toEqual([]);
    }),
  );
});

const at = 1000;
const row = (time: number, state: string, more: Partial<RunRow> = {}): RunRow => ({
  time: at + time,
  state,
  ...more,
});
const step = (stepName: string, messageId: string, more: Partial<StepInfo> = {}) => ({
  stepInfo: { stepName, stepType: 'Run', callType: 'step', concurrent: 1, messageId, ...more },
});
const shown = (rows: readonly RunRow[], until?: number) =>
  lanesOf(rows, until === undefined ? undefined : at + until).lanes.map(({ name, state, bars }) => [
    name,
    state,
    ...bars.map(
      ({ kind, from, until: end }) => `${kind} ${from - at}-${end === null ? '' : end - at}`,
    ),
  ]);

/** `one` is run when `init` is delivered; the delivery of `one` fails in `two`. */
const failing = [
  row(0, 'RUN_STARTED'),
  row(0, 'CREATED', step('init', 'm0', { stepType: 'Initial' })),
  row(10, 'ACTIVE', step('init', 'm0', { stepType: 'Initial' })),
  row(30, 'CREATED', step('one', 'm1')),
  row(40, 'DELIVERED', {
    ...step('init', 'm0', { stepType: 'Initial' }),
    executed: [{ stepName: 'one', stepType: 'Run' }],
  }),
  row(40, 'ACTIVE', step('one', 'm1')),
  row(60, 'ERROR', {
    ...step('one', 'm1'),
    responseHeaders: { 'Upstash-Error-Step-Name': ['two'] },
  }),
  row(60, 'RETRY', { ...step('one', 'm1'), nextDeliveryTime: at + 160 }),
];

it('draws an attempt on the line of the step that ran in it, also of one that failed', () => {
  expect(shown(failing)).toEqual([
    ['init', 'STEP_SUCCESS', 'stored 0-0'],
    ['one', 'STEP_SUCCESS', 'queued 0-10', 'attempt 10-40', 'stored 30-30'],
    ['two', 'STEP_RETRY', 'queued 30-40', 'attempt 40-60', 'retry 60-'],
  ]);
});

it('does not name the step that runs before it is known', () => {
  expect(shown(failing, 50)).toEqual([
    ['init', 'STEP_SUCCESS', 'stored 0-0'],
    ['one', 'STEP_SUCCESS', 'queued 0-10', 'attempt 10-40', 'stored 30-30'],
    ['after one', 'STEP_PROGRESS', 'queued 30-40', 'attempt 40-'],
  ]);
});

it('ends a wait and another run where what they came to is stored', () => {
  const waiting = step('paid', 'm1', { stepType: 'Wait' });
  const { messageId: _, ...opened } = waiting.stepInfo;
  const rows = [
    row(0, 'RUN_STARTED'),
    row(5, 'WAITER_ADDED', { stepInfo: opened }),
    row(95, 'CREATED', waiting),
    row(99, 'RUN_SUCCESS'),
    row(99, 'DELIVERED', waiting),
  ];
  expect(shown(rows, 50)).toEqual([['paid', 'waiting', 'wait 5-']]);
  expect(shown(rows)).toEqual([
    ['paid', 'STEP_SUCCESS', 'wait 5-95', 'stored 95-95'],
    ['end', 'STEP_SUCCESS', 'queued 95-99', 'attempt 99-99'],
  ]);
});
