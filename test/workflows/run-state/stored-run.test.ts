import fc from 'fast-check';
import { transition } from 'xstate';
import { bytesOf } from '../../../src/engine/resting/stored-form.js';
import type { RunEvent } from '../../../src/workflows/run-state/run.events.js';
import {
  evolveRun,
  initialRun,
  isActive,
  isFinalRun,
  type RunState,
  runMachine,
  storedRun,
} from '../../../src/workflows/run-state/run.machine.js';
import { callbackOptions } from '../../support/message-options.js';
import {
  planOf,
  runConfiguration,
  runStarted,
  runTermsOf,
  stepInfo,
} from '../../support/workflows/run-commands.js';

const anyStep = fc.oneof(
  fc.integer({ min: 1, max: 5 }).map((id) => stepInfo(id)),
  fc.integer({ min: 1, max: 5 }).map((id) => planOf(id)),
);
const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const number = fc.nat(1_000_000);
const messageId = anyText;

const invoker = fc.record({ runId: anyText, url: anyText, createdAt: number, step: anyStep });
const entry = fc.record({ messageId, offset: number, step: anyStep, bytes: number });
const started = fc.record({
  type: fc.constant('RunStarted' as const),
  configuration: fc
    .record({
      labels: fc.array(anyText, { maxLength: 3 }),
      retryDelay: fc.option(anyText),
      timeoutMs: fc.option(number),
      redaction: fc.option(fc.record({ body: fc.boolean(), headers: fc.array(anyText) })),
      flowControl: fc.option(
        fc.record({
          key: anyText,
          parallelism: fc.option(number),
          rate: fc.option(number),
          periodSeconds: number,
        }),
      ),
    })
    .map((terms) => runConfiguration({ terms: runTermsOf(terms) })),
  messageId,
  payloadBytes: number,
  payloadOffset: fc.option(number),
  invoker: fc.option(invoker),
  inherited: fc.option(
    fc.record({
      runId: anyText,
      entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
      calls: fc.array(fc.record({ step: anyStep, messageId }), { maxLength: 2 }),
      waits: fc.array(
        fc.record({ step: anyStep, eventId: anyText, deadline: number, offset: number }),
        { maxLength: 2 },
      ),
      notifications: fc.array(fc.record({ eventId: anyText, offset: number, bytes: number }), {
        maxLength: 2,
      }),
      invocations: fc.array(fc.record({ step: anyStep, runId: anyText, messageId }), {
        maxLength: 2,
      }),
    }),
  ),
});

const later: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({ type: fc.constant('StepStored' as const), step: anyStep, messageId, bytes: number }),
  fc.record({ type: fc.constant('CallRequested' as const), step: anyStep, messageId }),
  fc.record({
    type: fc.constant('WaitOpened' as const),
    step: anyStep,
    eventId: anyText,
    timeout: anyText,
    deadline: number,
  }),
  fc.record({
    type: fc.constant('WaitEnded' as const),
    step: anyStep,
    eventId: anyText,
    messageId,
    isTimeout: fc.boolean(),
    notificationId: fc.option(anyText),
    notificationOffset: fc.option(number),
    bytes: number,
  }),
  fc.record({ type: fc.constant('NotificationStored' as const), eventId: anyText, bytes: number }),
  fc.record({
    type: fc.constant('StepInvoked' as const),
    step: anyStep,
    runId: anyText,
    url: anyText,
    messageId,
  }),
  fc.record({
    type: fc.constant('InvocationEnded' as const),
    step: anyStep,
    runId: anyText,
    messageId,
    outcome: fc.constantFrom('succeeded', 'failed', 'canceled'),
    endOffset: number,
    bytes: number,
  }),
  fc.record({ type: fc.constant('InvokerChanged' as const), invoker }),
  fc.record({
    type: fc.constant('RunReconfigured' as const),
    configuration: fc.constant(runConfiguration({ url: 'https://app.example/taken' })),
    messageId,
    completed: fc.constant([]),
  }),
  fc.record({
    type: fc.constant('FailureCallbackNamed' as const),
    callback: fc.constant(callbackOptions({ headers: ['X-A', '1'] })),
  }),
);
const ends: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.constant<RunEvent>({ type: 'RunSucceeded', completed: [], canceled: [] }),
  fc.constant<RunEvent>({ type: 'RunCanceled', canceled: [] }),
  fc.constant<RunEvent>({
    type: 'RunFailed',
    cause: 'stalled',
    messageId: 'msg_1',
    publishedOffset: 1,
    attemptOffset: 2,
    canceled: [],
    canceledOffsets: [],
  }),
);

const evolved = (events: readonly RunEvent[], from = initialRun(), offset = 0) =>
  events.reduce(
    (state, event, index) =>
      evolveRun(state, event, { at: 1000 + offset + index, offset: offset + index }),
    from,
  );

/** Everything that distinguishes one state from another. */
const shown = ({ status, value, tags, context }: RunState) =>
  JSON.stringify({ status, value, tags: [...tags].sort(), context });

describe('the state of a run', () => {
  it('is the same after packing and unpacking, and continues as usual', () => {
    const histories = fc.tuple(started, fc.array(later, { maxLength: 10 }), fc.array(later), ends);
    fc.assert(
      fc.property(histories, ([start, before, after, end]) => {
        const live = evolved([start, ...before]);
        const woken = storedRun.fromStored(storedRun.toStored(live));
        expect(shown(woken)).toBe(shown(live));
        const rest = [...after, end];
        const offset = before.length + 1;
        expect(shown(evolved(rest, woken, offset))).toBe(shown(evolved(rest, live, offset)));
        expect(isActive(woken)).toBe(true);
        expect(isFinalRun(evolved(rest, woken, offset))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('starts only once', () => {
    fc.assert(
      fc.property(started, started, (start, again) => {
        const begun = evolved([start]);
        expect(evolved([again], begun, 1)).toBe(begun);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same as that of the complete XState machine', () => {
    const histories = fc.tuple(started, fc.array(later, { maxLength: 10 }), ends);
    fc.assert(
      fc.property(histories, ([start, between, end]) => {
        let whole = initialRun();
        for (const [index, event] of [start, ...between, end].entries()) {
          whole = transition(runMachine, whole, { ...event, at: 1000 + index, offset: index })[0];
          const stepped = evolved([start, ...between, end].slice(0, index + 1));
          expect(shown(stepped)).toBe(shown(whole));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is not changed by later events', () => {
    fc.assert(
      fc.property(started, fc.array(later), (start, events) => {
        const state = evolved([start]);
        const bytes = bytesOf(storedRun.toStored(state));
        evolved(events, state, 1);
        expect(bytesOf(storedRun.toStored(state))).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it('of a sleeping run takes a few hundred bytes', () => {
    const sleeping = evolved([
      runStarted({ messageId: 'msg_01M7Z0XY214ND8BXV73MF9P1', payloadBytes: 7 }),
    ]);
    expect(bytesOf(storedRun.toStored(sleeping)).length).toBeLessThan(300);
  });
});
