import { redacted } from '../../../src/messaging/messages/redaction.js';
import { runProgram } from '../../support/program/program.js';
import { FailedRunStage, type RunReference } from '../../support/workflows/failed-run-stage.js';

const secret = 'card 4111';
let stage: FailedRunStage;
let runId: string;

/** A run without redaction, resumed with another result of its first step. */
beforeAll(async () => {
  stage = await FailedRunStage.start('printed-edits');
  stage.clear(stage.sequence('one', 'two'));
  stage.broken.add('two');
  const { dlqId } = await stage.fail();
  stage.broken.clear();
  const edits = JSON.stringify({ steps: [{ stepId: 1, out: secret }] });
  const { status, body } = await stage.api('POST', `/resume/${dlqId}`, {}, edits);
  expect([status, body]).toEqual([200, expect.anything()]);
  runId = (body as RunReference).workflowRunId;
  await stage.ended(runId);
}, 60_000);

afterAll(() => stage.end());

interface Printed {
  readonly type: string;
  readonly body?: string;
  readonly bodyBase64?: string;
}

/** The event as the program prints it, once it is below the watermark of readers. */
async function editPrinted(...words: string[]): Promise<Printed> {
  for (;;) {
    const stream = ['--stream', `run/${runId}`, '--json'];
    const ended = await runProgram(stage.server.dataDirectory, [
      ...['journal', 'print', ...stream],
      ...words,
    ]);
    const lines = ended.stdout.split('\n').filter((line) => line !== '');
    const events = lines.map((line) => JSON.parse(line) as Printed);
    const edit = events.find(({ type }) => type === 'StepEdited');
    if (edit !== undefined) return edit;
  }
}

describe('journal print of a result that a resume has replaced', () => {
  it('shows the digest of the step, and its bytes only with --reveal', async () => {
    const { bodyBase64 } = await editPrinted('--reveal');
    const step = Buffer.from(String(bodyBase64), 'base64').toString();
    expect(step).toContain(secret);
    const hidden = await editPrinted();
    expect([hidden.body, hidden.bodyBase64]).toEqual([redacted(step), undefined]);
    expect(JSON.stringify(hidden)).not.toContain(secret);
  });
});
