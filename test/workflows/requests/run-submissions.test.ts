import type { Outcome } from '../../../src/engine/turn.js';
import {
  BatchSubmission,
  RefusedSubmission,
} from '../../../src/messaging/publishing/submissions.js';
import {
  StartSubmission,
  StepSubmission,
  TriggerSubmission,
} from '../../../src/workflows/requests/run-submissions.js';
import { startRun, stepInfo, submitStep } from '../../support/workflows/run-commands.js';

const accepted = <Result>(result: Result): Outcome<Result> => ({ accepted: true, result });
const rejected = (code: 'invalid' | 'conflict' | 'over_limit'): Outcome<never> => ({
  accepted: false,
  rejection: { code, message: `it is ${code}` },
});
const url = 'https://app.example/wf';
const started = { messageId: 'msg_0', createdAt: 1000, deduplicated: false };

describe('a start', () => {
  it('is told as a publish is', () => {
    const submission = new StartSubmission(startRun());
    expect(submission.tell([accepted(started)])).toEqual({
      status: 200,
      body: { messageId: 'msg_0', url },
    });
    expect(submission.tell([accepted({ ...started, deduplicated: true })])).toEqual({
      status: 202,
      body: { messageId: 'msg_0', url, deduplicated: true },
    });
  });

  it('is told of the run where a trigger asked for it', () => {
    const submission = new TriggerSubmission(startRun());
    const run = { workflowRunId: 'wfr_1', workflowCreatedAt: 1000 };
    expect(submission.tell([accepted(started)])).toEqual({ status: 200, body: run });
    expect(submission.tell([accepted({ ...started, deduplicated: true })])).toEqual({
      status: 200,
      body: { ...run, deduplicated: true },
    });
  });
});

describe('a step', () => {
  const submission = new StepSubmission(submitStep(stepInfo(1)));
  const start = new StartSubmission(startRun());

  it('is told which message delivers it, if one does', () => {
    const told = submission.tell([accepted({ messageId: 'msg_1' })]);
    expect(told).toEqual({ status: 200, body: { messageId: 'msg_1' } });
    expect(submission.tell([accepted({ messageId: null })])).toEqual({ status: 200, body: {} });
  });

  it.each([
    ['invalid', 400],
    ['conflict', 409],
    ['over_limit', 412],
  ] as const)('that is %s answers its whole batch with %i', (code, status) => {
    const batch = new BatchSubmission([start, submission]);
    expect(batch.isWhole).toBe(true);
    expect(batch.tell([rejected(code), rejected(code)])).toEqual({
      status,
      message: `item 1: it is ${code}`,
    });
  });

  it('leaves its neighbours the refusals that are their own', () => {
    const batch = new BatchSubmission([
      new RefusedSubmission({ status: 404, message: 'refused' }),
      submission,
    ]);
    expect(batch.tell([accepted({ messageId: 'msg_1' })])).toEqual({
      status: 200,
      body: [{ error: 'item 0: refused' }, { messageId: 'msg_1' }],
    });
  });
});

test('a batch without a step is not whole, and may be told as something made', () => {
  const batch = new BatchSubmission([new TriggerSubmission(startRun())], 201);
  expect(batch.isWhole).toBe(false);
  expect(batch.tell([accepted(started)])).toEqual({
    status: 201,
    body: [{ workflowRunId: 'wfr_1', workflowCreatedAt: 1000 }],
  });
});
