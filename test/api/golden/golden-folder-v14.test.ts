import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import type { JobObject } from '../../../src/messaging/jobs/job-object.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const dayMs = 86_400_000;

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v14', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

const jobsOf = async (server: TestServer) =>
  ((await call(server, 'GET', '/v2/jobs')).body as { jobs: JobObject[] }).jobs;

/** What the server says of its jobs and of what they are about. */
async function holdings(server: TestServer) {
  const { body } = await call(server, 'GET', '/v2/messages');
  const origins = (await call(server, 'GET', '/admin/origins')).body;
  return {
    origins,
    jobs: await jobsOf(server),
    messages: (body as { messages: unknown }).messages,
  };
}

/** What version 14 leaves behind beyond those before: jobs, and an origin that is paused. */
async function writeFolder(): Promise<void> {
  let server = await folder.start(new ManualClock(writtenAt));
  let made = 0;
  const as = (body: object = {}) => {
    made += 1;
    return { 'x-request-id': `golden-${made}`, body: JSON.stringify(body) };
  };
  const until = async (isSo: (jobs: readonly JobObject[]) => boolean) => {
    while (!isSo(await jobsOf(server))) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const job = { verb: 'cancel', over: 'messages' };
  await call(server, 'POST', '/v2/jobs', as({ ...job, filter: { label: 'none' } }));
  await until(([first]) => first?.state === 'DONE');
  await server.stop();
  const clock = new ManualClock(writtenAt + 7 * dayMs);
  server = await folder.start(clock);
  await until((jobs) => jobs.length === 0);
  for (const label of ['a', 'a', 'b', 'b', 'b']) {
    await publish(server, '/later', { ...as(), 'svc-delay': '1d', 'svc-label': label });
  }
  await call(server, 'POST', '/v2/jobs', as({ ...job, filter: { label: 'a' } }));
  await until(([first]) => first?.state === 'DONE');
  clock.advance(1);
  await call(server, 'POST', '/v2/jobs', as({ ...job, filter: { label: 'b' }, rate: '1/h' }));
  await until(([first]) => first?.done === 1);
  clock.advance(1);
  await call(server, 'POST', '/v2/jobs', as({ ...job, filter: { label: 'b' }, rate: '1/h' }));
  await until(([first]) => first?.done === 1);
  const [last] = await jobsOf(server);
  await call(server, 'POST', `/v2/jobs/${last?.jobId}/abort`, as());
  const origin = JSON.stringify({ origin: 'https://paused.example' });
  for (const word of ['pause', 'resume', 'pause']) {
    await call(server, 'POST', `/admin/origins/${word}`, { ...as(), body: origin });
  }
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 14', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal says what was paused and what jobs have done', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    const printed = await folder.printed();
    expect(printed).toBe((await folder.expected()).journal);
    expect(printed).toMatch(/JobAdvanced(.|\n)*OriginPaused/);
  });

  it('is served as it was, and its jobs go on', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt + 7 * dayMs + 2);
    const server = await folder.start(clock);
    const held = JSON.parse(JSON.stringify(await holdings(server)));
    // Answers may have got fields since the folder was written, and have lost none.
    expect(held).toMatchObject((await folder.expected()).holdings as object);
    clock.advance(3_600_000);
    while ((await jobsOf(server))[1]?.state !== 'DONE') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await jobsOf(server))[1]).toMatchObject({ done: 2 });
    expect((await call(server, 'GET', '/v2/messages')).body).toEqual({ messages: [] });
    expect(await server.stop()).toBe(true);
  });
});
