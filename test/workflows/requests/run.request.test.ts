import { ok, Refusal, refused } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import type { PublishRules } from '../../../src/messaging/publishing/option-reader.js';
import { parseRunRequest } from '../../../src/workflows/requests/run-interpreter.js';
import { parseTrigger } from '../../../src/workflows/requests/trigger.request.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import { requestContext } from '../../support/request-context.js';
import {
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
} from '../../support/workflows/run-commands.js';

const at = 1_767_000_000_000;
const url = 'https://app.example/wf';
const rules: PublishRules = {
  retries: 5,
  retriesMax: 1000,
  delayMaxMs: 31_536_000_000,
  timeoutMs: 900_000,
  judgeUrl: (text) => (text.startsWith('https://') ? ok(text) : refused('is not a URL')),
};

type Headers = Readonly<Record<string, string>>;

/** A publish with its destination and its parsed headers. */
const input = (headers: Headers, body: string, destination = url) => {
  const rawHeaders = Object.entries(headers).flat();
  const publish = {
    destination,
    rawHeaders,
    contentType: 'application/json',
    body: Buffer.from(body),
    trace: [],
    queueName: null,
    mustRepeat: false,
    context: requestContext({ at }),
  };
  const target = { kind: 'url', text: destination, options: [] } as const;
  return [publish, target, readMessageOptions(rawHeaders, dialects.svc)] as const;
};
const read = (headers: Headers, body: string, destination?: string, granted = rules) => {
  const result = parseRunRequest(...input(headers, body, destination), granted);
  if (result instanceof Refusal) throw new Error(result.message);
  return result;
};

const features = 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig';
/** The headers that the published client sends (workflows.md 7). */
const fromSdk: Headers = {
  'content-type': 'application/json',
  'upstash-method': 'POST',
  'upstash-workflow-init': 'true',
  'upstash-workflow-runid': 'wfr_1',
  'upstash-workflow-url': url,
  'upstash-workflow-sdk-version': '1',
  'upstash-forward-upstash-workflow-sdk-version': '1',
  'upstash-feature-set': features,
  'upstash-telemetry-sdk': '@upstash/workflow@v1.3.2',
};
const failureCallback: Headers = {
  'upstash-failure-callback': url,
  'upstash-failure-callback-feature-set': features,
  'upstash-failure-callback-retries': '2',
  'upstash-failure-callback-retry-delay': '1000',
  'upstash-failure-callback-workflow-calltype': 'failureCall',
  'upstash-failure-callback-workflow-init': 'false',
  'upstash-failure-callback-workflow-runid': 'wfr_1',
  'upstash-failure-callback-workflow-url': url,
  'upstash-failure-callback-forward-x-tenant': 'acme',
  'upstash-failure-callback-forward-upstash-workflow-is-failure': 'true',
  'upstash-failure-callback-forward-upstash-workflow-unknown-sdk': 'true',
};
const { headers: _, ...called } = callbackOptions({ url, maxRetries: 2, retryDelay: '1000' });

describe('a start', () => {
  it('has all options with which later steps are delivered', () => {
    const headers = {
      ...fromSdk,
      ...failureCallback,
      'upstash-forward-x-tenant': 'acme',
      'upstash-label': 'blue',
      'upstash-forward-upstash-label': 'blue',
      'upstash-retries': '2',
      'upstash-retry-delay': '1000',
      'upstash-flow-control-key': 'k',
      'upstash-flow-control-value': 'parallelism=2, rate=3, period=1m',
      'upstash-redact-fields': 'body,header[X-Tenant]',
      'upstash-timeout': '30',
      'upstash-delay': '10s',
    };
    const terms = runTermsOf({
      maxRetries: 2,
      retryDelay: '1000',
      timeoutMs: 30_000,
      flowControl: { key: 'k', parallelism: 2, rate: 3, periodSeconds: 60 },
      labels: ['blue'],
      redaction: { body: true, headers: ['x-tenant'] },
    });
    expect(read(headers, '{"n":1}')).toEqual(
      startRun({
        at,
        configuration: runConfiguration({
          dialect: 'upstash',
          terms: { ...terms, failureCallback: { ...called, redaction: terms.redaction } },
          headers: ['x-tenant', 'acme', 'upstash-label', 'blue'],
          failureHeaders: ['x-tenant', 'acme', 'upstash-workflow-is-failure', 'true'],
          answerCheck: 'protocol',
        }),
        messageId: 'msg_0',
        payload: Buffer.from('{"n":1}'),
        notBefore: at + 10_000,
      }),
    );
  });

  it('has the defaults of runs for id and retries, within the limits', () => {
    const command = read({ 'svc-workflow-init': 'true' }, '');
    expect(command).toMatchObject({ id: 'wfr_0', messageId: 'msg_1' });
    expect(command).toMatchObject({ configuration: { terms: { maxRetries: 3 } } });
    const few = read({ 'svc-workflow-init': 'true' }, '', url, { ...rules, retriesMax: 1 });
    expect(few).toMatchObject({ configuration: { terms: { maxRetries: 1 } } });
  });

  it.each([
    ['', 'none', false, false],
    ['LazyFetch, WF_TriggerOnConfig', 'none', true, false],
    // The Python client claims this feature, and raises an error if nothing is delivered.
    ['LazyFetch,InitialBody,WF_DetectTrigger', 'protocol', false, true],
    ['InitialBody, WF_DetectTrigger', 'protocol', false, true],
    ['Unheard,LazyFetch,InitialBody,WF_TriggerOnConfig', 'none', true, true],
  ])(
    'of an SDK with "%s" assumes no other feature',
    (said, answerCheck, fetchesLazily, isInitial) => {
      expect(read({ ...fromSdk, 'upstash-feature-set': said }, '')).toMatchObject({
        configuration: { answerCheck, fetchesLazily, reportsInitialBody: isInitial },
      });
    },
  );

  it('shows its labels to the endpoint', () => {
    expect(read({ ...fromSdk, 'upstash-label': 'blue, green' }, '')).toMatchObject({
      configuration: { headers: ['Upstash-Label', 'blue,green'] },
    });
  });

  it('of an older client may have options of a failure callback without naming one', () => {
    const { 'upstash-failure-callback': _url, ...idle } = failureCallback;
    expect(read({ ...fromSdk, ...idle }, '')).toMatchObject({
      configuration: { terms: { failureCallback: null }, failureHeaders: [] },
    });
    const bare = { ...fromSdk, ...idle, 'upstash-workflow-init': 'false' };
    expect(read(bare, stepText)).toMatchObject({ failureCallback: null });
  });

  it('by the endpoint itself is a takeover', () => {
    const headers = { ...fromSdk, 'upstash-workflow-trigger-by-sdk': 'true' };
    expect(read(headers, '')).toMatchObject({ type: 'StartRun', isTakeover: true });
  });
});

const stepText = '{"stepId":1,"stepName":"step 1","stepType":"Run","out":"1","concurrent":1}';

describe('a step', () => {
  const bare = { ...fromSdk, 'upstash-workflow-init': 'false' };

  it('leaves options that it does not set to its run', () => {
    expect(read(bare, stepText)).toEqual({
      type: 'SubmitStep',
      kind: 'run',
      id: 'wfr_1',
      at,
      step: stepInfo(1),
      messageId: 'msg_0',
      body: Buffer.from(stepText),
      notBefore: at,
      options: {
        maxRetries: null,
        retryDelay: null,
        timeoutMs: null,
        flowControl: null,
        labels: null,
        redaction: null,
        headers: [],
      },
      failureCallback: null,
    });
  });

  it('of an older client contains all options', () => {
    const headers = {
      ...bare,
      ...failureCallback,
      'upstash-retries': '5',
      'upstash-label': 'blue',
      'upstash-forward-x-tenant': 'acme',
      'upstash-not-before': String(at / 1000 + 60),
    };
    expect(read(headers, stepText)).toMatchObject({
      notBefore: at + 60_000,
      options: { maxRetries: 5, labels: ['blue'], headers: ['x-tenant', 'acme'] },
      failureCallback: {
        ...called,
        headers: ['x-tenant', 'acme', 'upstash-workflow-is-failure', 'true'],
      },
    });
  });
});

describe('a call', () => {
  const call: Headers = {
    ...fromSdk,
    'upstash-workflow-init': 'false',
    'upstash-workflow-calltype': 'toCallback',
    'upstash-feature-set': 'WF_NoDelete,InitialBody',
    'upstash-forward-x-h': '1',
    'upstash-method': 'PUT',
    'upstash-callback': url,
    'upstash-callback-workflow-calltype': 'fromCallback',
    'upstash-callback-workflow-runid': 'wfr_1',
    'upstash-callback-feature-set': features,
    'upstash-callback-forward-upstash-workflow-callback': 'true',
    'upstash-callback-forward-upstash-workflow-stepid': '1',
    'upstash-callback-forward-upstash-workflow-stepname': 'step 1',
    'upstash-callback-forward-upstash-workflow-steptype': 'Call',
    'upstash-callback-forward-upstash-workflow-concurrent': '2',
    'upstash-callback-forward-upstash-workflow-contenttype': 'text/plain',
    'upstash-callback-forward-upstash-workflow-sdk-version': '1',
  };

  it('is a message like any other, and its answer is delivered as the run specifies', () => {
    const third = 'https://api.third.example/x';
    expect(read(call, 'B', third)).toEqual({
      type: 'RequestCall',
      kind: 'run',
      id: 'wfr_1',
      at,
      step: stepInfo(1, { type: 'Call', concurrent: 2 }),
      messageId: 'msg_0',
      message: {
        type: 'MessagePublished',
        ...messageOptions({
          dialect: 'upstash',
          url: third,
          method: 'PUT',
          contentType: 'application/json',
          headers: ['upstash-workflow-sdk-version', '1', 'x-h', '1'],
          notBefore: at,
          maxRetries: 5,
          bodyBytes: 1,
        }),
      },
      body: Buffer.from('B'),
      callback: {
        maxRetries: null,
        retryDelay: null,
        timeoutMs: null,
        flowControl: null,
        labels: null,
        redaction: null,
        headers: [
          'upstash-workflow-callback',
          'true',
          'upstash-workflow-stepid',
          '1',
          'upstash-workflow-stepname',
          'step 1',
          'upstash-workflow-steptype',
          'Call',
          'upstash-workflow-concurrent',
          '2',
          'upstash-workflow-contenttype',
          'text/plain',
        ],
      },
    });
  });

  it('of an older client may have options for callbacks of its answer and failures', () => {
    const headers = {
      ...call,
      'upstash-callback-retries': '4',
      'upstash-callback-forward-x-tenant': 'acme',
      'upstash-callback-failure-callback': url,
      'upstash-callback-failure-callback-retries': '2',
      'upstash-callback-failure-callback-forward-x-tenant': 'acme',
      'upstash-failure-callback-retries': '2',
      'upstash-failure-callback-forward-x-tenant': 'acme',
    };
    expect(read(headers, 'B')).toMatchObject({
      message: { callback: null, failureCallback: null },
      callback: { maxRetries: 4, headers: expect.arrayContaining(['x-tenant', 'acme']) },
    });
  });
});

describe('an invocation', () => {
  it('is addressed to the waiting run, and contains the run to start', () => {
    const headers = {
      ...fromSdk,
      'upstash-workflow-runid': 'wfr_child',
      'upstash-workflow-invoke': 'true',
      'upstash-forward-upstash-workflow-invoke-count': '1',
    };
    const envelope = { body: 'payload', workflowRunId: 'wfr_1', step: JSON.parse(stepText) };
    const child = startRun({
      id: 'wfr_child',
      at,
      configuration: runConfiguration({
        dialect: 'upstash',
        headers: ['upstash-workflow-invoke-count', '1'],
        answerCheck: 'protocol',
      }),
      payload: Buffer.from('payload'),
      notBefore: at,
    });
    const { invoker, ...start } = child;
    expect(read(headers, JSON.stringify(envelope))).toEqual({
      type: 'InvokeRun',
      kind: 'run',
      id: 'wfr_1',
      at,
      step: stepInfo(1),
      child: start,
    });
  });
});

describe('a trigger', () => {
  const trigger = (headers: Headers) => {
    const result = parseTrigger(...input(headers, 'payload'), rules);
    if (result instanceof Refusal) throw new Error(result.message);
    return result;
  };

  it('is a start by an SDK with all features', () => {
    expect(trigger({})).toEqual(
      startRun({
        id: 'wfr_0',
        at,
        configuration: runConfiguration({ answerCheck: 'sdk' }),
        messageId: 'msg_1',
        payload: Buffer.from('payload'),
        notBefore: at,
      }),
    );
  });

  it('has its failure reported with its own headers, in the form that the SDK knows', () => {
    const headers = {
      'Svc-Failure-Callback': url,
      'Svc-Failure-Callback-Forward-X-Tenant': 'failing',
      'Svc-Forward-X-Tenant': 'acme',
      'Svc-Forward-X-Other': '1',
      'Svc-Label': 'blue',
      'Svc-Workflow-Unknown-Sdk': 'true',
    };
    expect(trigger(headers).configuration).toMatchObject({
      headers: [
        'X-Tenant',
        'acme',
        'X-Other',
        '1',
        'Svc-Label',
        'blue',
        'Svc-Workflow-Unknown-Sdk',
        'true',
      ],
      failureHeaders: [
        'X-Other',
        '1',
        'Svc-Label',
        'blue',
        'X-Tenant',
        'failing',
        'Svc-Workflow-Is-Failure',
        'true',
        'Svc-Workflow-Failure-Callback',
        'true',
      ],
    });
  });
});
