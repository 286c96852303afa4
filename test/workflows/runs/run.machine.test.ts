import { machineEvolve } from '../../../src/engine/machine-evolve.js';
import type { RunEvent } from '../../../src/workflows/runs/run.events.js';
import { type RunLife, runMachine } from '../../../src/workflows/runs/run.machine.js';
import { callbackOptions } from '../../support/message-options.js';
import { runConfiguration, runTermsOf, stepInfo } from '../../support/workflows/run-commands.js';

const { initialState, evolve, isFinal } = machineEvolve(runMachine);

const configuration = runConfiguration({
  terms: runTermsOf({ labels: ['blue'], maxRetries: 2 }),
  answerCheck: 'sdk',
});
const invoker = { runId: 'wfr_p', url: 'https://p.example', createdAt: 9, step: stepInfo(1) };
const started: RunEvent = {
  type: 'RunStarted',
  configuration,
  messageId: 'msg_0',
  payloadBytes: 0,
  payloadOffset: null,
  invoker: null,
  inherited: null,
};
const ends = [
  { type: 'RunSucceeded', completed: [], canceled: [] },
  { type: 'RunCanceled', canceled: [] },
  {
    type: 'RunFailed',
    cause: 'exhausted',
    messageId: 'msg_0',
    publishedOffset: 1,
    attemptOffset: 2,
    canceled: [],
    canceledOffsets: [],
  },
] satisfies readonly RunEvent[];

/** The life after these events, at offsets from 5 and times from 1005. */
const lifeAfter = (...events: readonly RunEvent[]): RunLife =>
  events.reduce<RunLife>(
    (life, event, index) => evolve(life, { ...event, at: 1005 + index, offset: 5 + index }),
    initialState(),
  );

describe('the life of a run', () => {
  it('begins with its start, which its context is made of', () => {
    const life = lifeAfter(started);
    expect(life.value).toBe('active');
    expect(life.context).toEqual({
      dialect: 'svc',
      url: configuration.url,
      createdAt: 1005,
      callerIp: configuration.callerIp,
      startedOffset: 5,
      configurationOffset: 5,
      failureCallbackOffset: 5,
      terms: configuration.terms,
      answerCheck: 'sdk',
      fetchesLazily: true,
      invoker: null,
    });
  });

  it('goes on under another configuration, and is the same run', () => {
    const own = runConfiguration({ url: 'https://own.example', fetchesLazily: false });
    const { context } = lifeAfter(started, {
      type: 'RunReconfigured',
      configuration: own,
      messageId: 'msg_1',
      completed: [],
    });
    expect(context).toMatchObject({
      url: 'https://own.example',
      fetchesLazily: false,
      createdAt: 1005,
      startedOffset: 5,
      configurationOffset: 6,
      failureCallbackOffset: 6,
    });
  });

  it('learns later whom to call when it fails, and finds the headers of that call there', () => {
    const callback = callbackOptions({ headers: ['X-A', '1'] });
    const { context } = lifeAfter(started, { type: 'FailureCallbackNamed', callback });
    const { headers: _, ...kept } = callback;
    expect(context.terms).toEqual({ ...configuration.terms, failureCallback: kept });
    expect(context).toMatchObject({ configurationOffset: 5, failureCallbackOffset: 6 });
  });

  it('may come to be waited for by another run', () => {
    expect(lifeAfter(started, { type: 'InvokerChanged', invoker }).context.invoker).toEqual(
      invoker,
    );
  });

  it.each(ends)('is over after $type, whatever else comes', (end) => {
    const over = lifeAfter(started, end);
    expect(isFinal(over)).toBe(true);
    for (const event of [started, ...ends]) {
      expect(evolve(over, { ...event, at: 2000, offset: 9 })).toEqual(over);
    }
  });

  it('does not begin with anything else', () => {
    for (const event of ends) expect(lifeAfter(event).value).toBe('absent');
  });
});
