import type { CallbackSource } from '../../../src/messaging/messages/message.events.js';
import type { RequestCall } from '../../../src/workflows/run-state/run.commands.js';
import type {
  RunConfiguration,
  RunEvent,
  RunTerms,
} from '../../../src/workflows/run-state/run.events.js';
import {
  evolveRun,
  initialRun,
  type RunState,
} from '../../../src/workflows/run-state/run.machine.js';
import {
  callMessage,
  failureMessage,
  lazyBytes,
  noStepOptions,
  repeatedMessage,
  stepMessage,
} from '../../../src/workflows/runs/run-messages.policy.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import {
  runConfiguration,
  runStarted,
  runTermsOf,
  stepInfo,
  toRun,
} from '../../support/workflows/run-commands.js';
import { runPlace } from '../../support/workflows/run-place.js';

/** The state of a run that was just started, at offset 3. */
const startedOffset = 3;
const started = (changes: Partial<RunConfiguration> = {}, payloadBytes = 2): RunState =>
  evolveRun(initialRun(), runStarted({ configuration: runConfiguration(changes), payloadBytes }), {
    at: epochMs,
    offset: startedOffset,
  });
const underTerms = (changes: Partial<RunTerms>) => started({ terms: runTermsOf(changes) });
/** The latest event of the run. */
const happened = envelope<RunEvent>(
  { type: 'StepStored', step: stepInfo(1), messageId: 'msg_1', bytes: 2 },
  { kind: 'run', id: 'wfr_1', offset: 9 },
);

const k = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };
const l = { ...k, key: 'l' };
const hidden = { body: true, headers: [] };
const terms = {
  maxRetries: 5,
  retryDelay: '1000',
  timeoutMs: 2000,
  flowControl: k,
  labels: ['blue'],
  redaction: hidden,
};

describe('the delivery of a step', () => {
  it('uses the terms of its run for options that the step does not set', () => {
    const { message } = stepMessage(happened, underTerms(terms), 'msg_1', epochMs);
    expect(message).toMatchObject(terms);
  });

  it('uses the options that the step sets, including zero retries', () => {
    const own = {
      maxRetries: 0,
      retryDelay: '1',
      timeoutMs: 1,
      flowControl: l,
      labels: [],
      redaction: { body: false, headers: ['x-secret'] },
    };
    const options = { ...own, headers: ['X-Own', '1'] };
    const { message } = stepMessage(happened, underTerms(terms), 'msg_1', epochMs, options);
    expect(message).toMatchObject(options);
  });

  it('names its place in the run, so that its delivery finds the rest', () => {
    const { message } = stepMessage(happened, started(), 'msg_1', epochMs + 5);
    expect(message).toMatchObject({ method: 'POST', notBefore: epochMs + 5, callback: null });
    expect(message.run).toEqual({
      runId: 'wfr_1',
      url: 'https://app.example/wf',
      createdAt: epochMs,
      role: 'step',
      entry: 0,
      answerCheck: 'none',
      startedOffset,
      configurationOffset: startedOffset,
      eventOffset: 9,
    });
  });

  it('has the size of the list, or none if the endpoint must fetch the list', () => {
    const weight = (fetchesLazily: boolean, payloadBytes: number) =>
      stepMessage(happened, started({ fetchesLazily }, payloadBytes), 'msg_1', epochMs).message
        .bodyBytes;
    expect(weight(true, 300)).toBeGreaterThanOrEqual(400);
    expect(weight(true, lazyBytes)).toBe(0);
    expect(weight(false, lazyBytes)).toBeGreaterThan(lazyBytes);
  });
});

describe('a call', () => {
  const call = (changes: Parameters<typeof messageOptions>[0] = {}, callback = noStepOptions) =>
    toRun<RequestCall>({
      type: 'RequestCall',
      step: stepInfo(1, { type: 'Call' }),
      messageId: 'msg_call',
      message: messageOptions({ url: 'https://third.example/x', maxRetries: 0, ...changes }),
      body: Buffer.from('ask'),
      callback,
    });

  it('is tried with its own options, and its answer is delivered with those of the run', () => {
    const { message, body } = callMessage(happened, underTerms(terms), call());
    expect(message).toMatchObject({
      url: 'https://third.example/x',
      maxRetries: 0,
      retryDelay: null,
      timeoutMs: null,
      flowControl: null,
      callback: { ...terms, url: 'https://app.example/wf', method: 'POST', delayMs: 0 },
      failureCallback: null,
      run: { role: 'call', runId: 'wfr_1' },
    });
    expect(body.toString()).toBe('ask');
  });

  it('has the labels and redaction of the run by default', () => {
    const shown = (changes: Parameters<typeof messageOptions>[0]) => {
      const { labels, redaction } = callMessage(happened, underTerms(terms), call(changes)).message;
      return { labels, redaction };
    };
    expect(shown({})).toEqual({ labels: ['blue'], redaction: hidden });
    const own = { labels: ['third'], redaction: { body: false, headers: ['x'] } };
    expect(shown(own)).toEqual(own);
  });

  it('may set how its answer is delivered', () => {
    const callback = { ...noStepOptions, maxRetries: 0, headers: ['X-Step', '1'] };
    const { message } = callMessage(happened, underTerms(terms), call({}, callback));
    expect(message.callback).toMatchObject({ ...terms, maxRetries: 0, headers: ['X-Step', '1'] });
  });
});

describe('the call of a failure', () => {
  const source: CallbackSource = {
    kind: 'failureCallback',
    messageId: 'msg_1',
    publishedOffset: 5,
    attemptOffset: 6,
    dlqId: '1-9',
  };

  it('is not made if no failure callback is named', () => {
    expect(failureMessage(happened, underTerms(terms), 'msg_f', source)).toBeNull();
  });

  it('has its own terms and none of the run', () => {
    const { headers: _, ...failureCallback } = callbackOptions({
      url: 'https://app.example/failed',
      maxRetries: 2,
      flowControl: l,
      delayMs: 7000,
    });
    const called = failureMessage(happened, underTerms({ ...terms, failureCallback }), 'f', source);
    const { delayMs, ...own } = failureCallback;
    expect(called?.message).toMatchObject({
      ...own,
      headers: [],
      notBefore: epochMs + delayMs,
      callback: null,
      failureCallback: null,
      callbackOf: source,
      run: { role: 'failureCallback', configurationOffset: startedOffset },
    });
  });
});

describe('a message that a resumed run repeats', () => {
  const message = messageOptions({
    url: 'https://third.example/x',
    maxRetries: 1,
    bodyOffset: 2,
    run: runPlace({ runId: 'wfr_0', role: 'call', entry: -1, eventOffset: 1 }),
  });

  it('is about the same event, with the place of the new run', () => {
    const repeated = repeatedMessage(happened, started(), 'msg_new', message);
    expect(repeated).toMatchObject({ id: 'msg_new', at: epochMs });
    expect(repeated.message).toEqual({
      ...message,
      run: {
        runId: 'wfr_1',
        url: 'https://app.example/wf',
        createdAt: epochMs,
        role: 'call',
        entry: -1,
        answerCheck: 'none',
        startedOffset,
        configurationOffset: startedOffset,
        eventOffset: 1,
      },
    });
  });

  it('must have belonged to a run', () => {
    const ofNobody = { ...message, run: null };
    expect(() => repeatedMessage(happened, started(), 'msg_new', ofNobody)).toThrow('no run');
  });
});
