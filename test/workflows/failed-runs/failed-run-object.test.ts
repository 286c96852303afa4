import type {
  AttemptEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import {
  failedRunObject,
  type ReportedRun,
} from '../../../src/workflows/failed-runs/failed-run-object.js';
import type { RunFailed } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import { wire } from '../../support/wire.js';
import { failedRun } from '../../support/workflows/failed-run.js';
import { runConfiguration, runTermsOf } from '../../support/workflows/run-commands.js';

const run = failedRun({ id: `${epochMs}-9` });
const callback = {
  state: 'CALLBACK_FAIL' as const,
  messageId: 'msg_9',
  publishedOffset: 10,
  attemptOffset: 11,
};
const failure: RunFailed = {
  type: 'RunFailed',
  cause: 'exhausted',
  messageId: 'msg_1',
  publishedOffset: 4,
  attemptOffset: 8,
  canceled: [],
  canceledOffsets: [],
};
const published = envelope<MessagePublished>(
  { type: 'MessagePublished', ...messageOptions({ maxRetries: 2, notBefore: epochMs }) },
  { at: epochMs - 500 },
);
const { headers: _, ...failureCallback } = callbackOptions({ url: 'https://app.example/failed' });

function attempt(status: number, body: Buffer | null, error: string | null = null): AttemptEvent {
  const event = { type: 'MessageFailed', attempt: 0, startedAt: 0, durationMs: 1, status };
  return envelope({ ...event, headers: ['x-why', 'boom'], error }, { body });
}

const shown = (changes: Partial<ReportedRun> = {}) =>
  failedRunObject({
    run,
    failure,
    configuration: runConfiguration(),
    published,
    attempt: null,
    body: null,
    callbackAttempt: null,
    ...changes,
  });

describe('a failed run as it is shown', () => {
  it('leaves out absent values', () => {
    const url = runConfiguration().url;
    expect(shown()).toEqual({
      messageId: published.id,
      dlqId: run.id,
      url,
      method: 'POST',
      header: {
        'Content-Type': ['application/json'],
        'Svc-Workflow-Runid': ['wfr_1'],
        'Svc-Workflow-Url': [url],
        'Svc-Workflow-Createdat': [String(epochMs - 1000)],
        'Svc-Workflow-Init': ['true'],
        'Svc-Workflow-Sdk-Version': ['1'],
        'Svc-Retries': ['3'],
      },
      maxRetries: 2,
      notBefore: epochMs,
      createdAt: epochMs - 500,
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      workflowRunId: 'wfr_1',
      workflowCreatedAt: epochMs - 1000,
      workflowUrl: url,
    });
  });

  it.each([
    [{ parallelism: 2, rate: null, periodSeconds: 1 }, { parallelism: 2 }],
    [
      { parallelism: null, rate: 2, periodSeconds: 1 },
      { rate: 2, period: 1 },
    ],
    [
      { parallelism: 2, rate: null, periodSeconds: 60 },
      { parallelism: 2, period: 60 },
    ],
  ])('shows of the limits %j only those that are set', (limits, fields) => {
    const terms = runTermsOf({ flowControl: { key: 'k', ...limits } });
    const entry = shown({ configuration: runConfiguration({ terms }) });
    const names = ['parallelism', 'rate', 'period'].filter((name) => name in entry);
    expect(entry).toMatchObject({ flowControlKey: 'k', ...fields });
    expect(names).toEqual(Object.keys(fields));
  });

  it('speaks the dialect of the run', () => {
    const { header } = shown({ configuration: runConfiguration({ dialect: 'upstash' }) });
    expect(header).toMatchObject({ 'Upstash-Workflow-Runid': ['wfr_1'] });
  });

  it('has a payload and an answer in base64 if they are not text', () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const entry = wire(shown({ body: bytes, attempt: attempt(500, bytes) }));
    expect(entry).toMatchObject({ bodyBase64: '/wA=', responseBodyBase64: '/wA=' });
    expect(entry).not.toHaveProperty('body');
    expect(entry).not.toHaveProperty('responseBody');
  });

  it('says why an answer did not count, or why none came', () => {
    const unlike = shown({ attempt: attempt(200, Buffer.from('<html>'), 'no SDK answered') });
    expect(unlike).toMatchObject({ responseStatus: 200, error: 'no SDK answered' });
    const silent = shown({ attempt: attempt(0, null, 'connection refused') });
    expect(silent).toMatchObject({ responseStatus: 0, error: 'connection refused' });
    const stalled = { ...failure, cause: 'stalled' as const };
    expect(shown({ failure: stalled, attempt: attempt(200, null) }).error).toMatch(/next step/);
  });

  it('shows the failure callback, and redacts what the callback wants redacted', () => {
    const redaction = { body: false, headers: ['x-secret'] };
    const configuration = runConfiguration({
      terms: runTermsOf({ failureCallback: { ...failureCallback, redaction } }),
      headers: ['X-Secret', 'seen'],
      failureHeaders: ['X-Secret', 'hush', 'X-Tenant', 'acme'],
    });
    const entry = shown({ configuration });
    expect(entry).toMatchObject({
      failureCallback: failureCallback.url,
      failureCallbackHeader: { 'X-Tenant': ['acme'] },
      header: { 'X-Secret': ['seen'] },
    });
    expect(JSON.stringify(entry)).not.toContain('hush');
  });

  it('shows the outcome of the callback, in both places', () => {
    expect(shown({ run: { ...run, callback } })).toMatchObject({
      failureFunctionState: 'CALLBACK_FAIL',
      failureCallbackInfo: { state: 'CALLBACK_FAIL' },
    });
    const answered = { run: { ...run, callback }, callbackAttempt: attempt(503, Buffer.from('x')) };
    expect(wire(shown(answered)).failureCallbackInfo).toEqual({
      state: 'CALLBACK_FAIL',
      responseStatus: 503,
      responseBody: 'x',
      responseHeaders: { 'X-Why': ['boom'] },
    });
  });
});
