import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { call, GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { GoldenRuns, step } from '../../support/golden/golden-runs.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const runId = 'wfr_edited';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v15', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

async function holdings(server: TestServer) {
  const [listing, run] = await Promise.all([
    call(server, 'GET', `/v2/workflows/logs?workflowRunId=${runId}`),
    call(server, 'GET', `/v2/workflows/runs/${runId}`),
  ]);
  return { listing: listing.body, run: run.body };
}

/** What version 15 leaves behind beyond those before: a run in which results were replaced. */
async function writeFolder(): Promise<void> {
  const server = await folder.start(new ManualClock(writtenAt));
  const runs = new GoldenRuns(server);
  const none = { 'svc-retries': '0', 'svc-delay': '1h' };
  await runs.start('wfr_wrong', '/failed', none);
  await runs.submit('wfr_wrong', '/failed', step(1), none);
  await runs.submit('wfr_wrong', '/failed', step(2), { 'svc-retries': '0' });
  await runs.logged('RUN_FAILED', 1);
  const { body } = await call(server, 'GET', '/v2/workflows/dlq?workflowRunId=wfr_wrong');
  const [letter] = (body as { messages: { dlqId: string }[] }).messages;
  const answer = await call(server, 'POST', `/v2/workflows/dlq/resume/${letter?.dlqId}`, {
    'svc-workflow-runid': runId,
    'svc-delay': '1h',
    'x-request-id': 'golden-1',
    body: JSON.stringify({
      steps: [
        { stepId: 1, out: { mended: true } },
        { stepId: 2, out: 'two' },
      ],
    }),
  });
  expect(answer.status).toBe(200);
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 15', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal says what was replaced', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    const printed = await folder.printed();
    expect(printed).toBe((await folder.expected()).journal);
    expect(printed.match(/StepEdited/g)).toHaveLength(2);
  });

  it('is served as it was, with what was replaced', async () => {
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt));
    const held = JSON.parse(JSON.stringify(await holdings(server)));
    // Answers may have got fields since the folder was written, and have lost none.
    expect(held).toMatchObject((await folder.expected()).holdings as object);
    const entries = held.run as { body: string }[];
    const outs = entries.slice(1).map(({ body }) => {
      return (JSON.parse(Buffer.from(body, 'base64').toString()) as { out: string }).out;
    });
    expect(outs).toEqual(['{"mended":true}', '"two"']);
    expect(await server.stop()).toBe(true);
  });
});
