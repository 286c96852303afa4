import { type Outcome, RefusalOfAnother } from '../../../src/engine/turn.js';
import { Refusal } from '../../../src/grammar/result.js';
import {
  BatchSubmission,
  RefusedSubmission,
  type Submission,
  SubmissionOutcomes,
} from '../../../src/messaging/publishing/submissions.js';
import {
  startSubmission,
  stepSubmission,
  triggerSubmission,
} from '../../../src/workflows/requests/run-submissions.js';
import { startRun, stepInfo, submitStep } from '../../support/workflows/run-commands.js';

/** The answer of a submission with these outcomes of its commands. */
const answerOf = (submission: Submission, outcomes: readonly Outcome[]) =>
  submission.answer(new SubmissionOutcomes(submission.commands, outcomes));
const accepted = (result: unknown): Outcome => ({ ok: true, value: result });
const rejected = (code: 'invalid' | 'conflict' | 'over_limit'): Outcome =>
  new Refusal(code, `it is ${code}`);
const url = 'https://app.example/wf';
const started = { messageId: 'msg_0', createdAt: 1000, deduplicated: false };

describe('a start', () => {
  it('is answered like a publish', () => {
    const submission = startSubmission(startRun());
    expect(answerOf(submission, [accepted(started)])).toEqual({
      status: 200,
      body: { messageId: 'msg_0', url },
    });
    expect(answerOf(submission, [accepted({ ...started, deduplicated: true })])).toEqual({
      status: 202,
      body: { messageId: 'msg_0', url, deduplicated: true },
    });
  });

  it('is answered with the id of the run', () => {
    const submission = triggerSubmission(startRun());
    const run = { workflowRunId: 'wfr_1', workflowCreatedAt: 1000 };
    expect(answerOf(submission, [accepted(started)])).toEqual({ status: 200, body: run });
    expect(answerOf(submission, [accepted({ ...started, deduplicated: true })])).toEqual({
      status: 200,
      body: { ...run, deduplicated: true },
    });
  });
});

describe('a step', () => {
  const submission = stepSubmission(submitStep(stepInfo(1)));
  const start = startSubmission(startRun());

  it('is answered with the message that delivers it, if one does', () => {
    const answer = answerOf(submission, [accepted({ messageId: 'msg_1' })]);
    expect(answer).toEqual({ status: 200, body: { messageId: 'msg_1' } });
    expect(answerOf(submission, [accepted({ messageId: null })])).toEqual({
      status: 200,
      body: {},
    });
  });

  it.each(['invalid', 'conflict', 'over_limit'] as const)(
    'that is %s refuses its whole batch',
    (code) => {
      const batch = new BatchSubmission([start, submission]);
      expect(batch.isWhole).toBe(true);
      expect(
        answerOf(batch, [new RefusalOfAnother(code, `it is ${code}`), rejected(code)]),
      ).toEqual(new Refusal(code, `item 1: it is ${code}`));
    },
  );

  it('is refused with its whole batch, with the refusal of the refused item', () => {
    const another = new RefusalOfAnother('invalid', 'it is invalid');
    const outcomes: readonly Outcome[] = [another, another, another];
    const batch = new BatchSubmission([
      stepSubmission(submitStep(stepInfo(1))),
      stepSubmission(submitStep(stepInfo(2))),
      startSubmission(startRun()),
    ]);
    for (const [index] of outcomes.entries()) {
      expect(answerOf(batch, outcomes.with(index, rejected('invalid')))).toEqual(
        new Refusal('invalid', `item ${index}: it is invalid`),
      );
    }
  });

  it('leaves neighboring items their own refusals', () => {
    const batch = new BatchSubmission([
      new RefusedSubmission(new Refusal('not_found', 'refused')),
      submission,
    ]);
    expect(answerOf(batch, [accepted({ messageId: 'msg_1' })])).toEqual({
      status: 200,
      body: [{ error: 'item 0: refused' }, { messageId: 'msg_1' }],
    });
  });
});

test('a batch without a step is not refused as a whole', () => {
  const batch = new BatchSubmission([triggerSubmission(startRun())], 201);
  expect(batch.isWhole).toBe(false);
  expect(answerOf(batch, [accepted(started)])).toEqual({
    status: 201,
    body: [{ workflowRunId: 'wfr_1', workflowCreatedAt: 1000 }],
  });
});
