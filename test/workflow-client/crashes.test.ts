import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../simulation/seeded-random.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { freePort, ServerProcess } from '../support/program/server-process.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { seed } from '../support/seed.js';
import { type Crash, WorkflowApp } from '../support/workflows/workflow-app.js';
import { crashWorkflows, storedResults } from './crash-workflows.js';

silenceConsole();

/** More rounds for longer runs: `KILL_ROUNDS=100 npm run jest -- test/workflow-client/crashes`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const runsOfEachRound = 6;

/** Webhooks need one of this form. */
const token = Buffer.from('{"UserID":"test","Password":"secret"}').toString('base64');
const environment = { STEPWELL_DIALECT: 'upstash', STEPWELL_TOKEN: token };

let folder = '';
let thirdParty: RecordingEndpoint;
let server: ServerProcess;
let app: WorkflowApp;
/** Runs that said that they will wait, and have not been notified. */
const announced = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-workflows-'));
  const port = await freePort();
  thirdParty = await RecordingEndpoint.start(() => ({ body: 'answered' }));
  server = await ServerProcess.start(folder, port, environment);
  const workflows = crashWorkflows((runId) => announced.add(runId));
  app = await WorkflowApp.start({ url: server.url, token }, workflows);
});

afterAll(async () => {
  await server.kill('SIGTERM');
  await app.stop();
  await thirdParty.stop();
  await rm(folder, { recursive: true });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** No server listens, or it has not read its journal yet. */
const isAway = (error: unknown) => /fetch failed|not serving/.test(String(error));

/** Asks until the server is there to answer: it may be dead just now. */
async function persist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
      await pause(50);
    }
  }
}

/** Starts a run and sees to it that it is notified; asked again, it is the same run. */
async function run(name: string): Promise<void> {
  const body = { thirdParty: thirdParty.url };
  const options = { workflowRunId: name, body, retries: 1000 };
  const runId = await persist(() => app.trigger('everything', options));
  while (!announced.has(runId)) {
    await persist(() => app.look(runId));
    await pause(100);
  }
  const notify = { eventId: `go-${runId}`, eventData: runId, workflowRunId: runId };
  await persist(() => app.client.notify(notify));
  while ((await persist(() => app.look(runId))) !== null) await pause(100);
  const { state, response } = await persist(() => app.outcome(runId));
  expect(state).toBe('RUN_SUCCESS');
  expect(response).toMatchObject({ called: 'answered', eventData: runId });
  // What it returned is what was stored, whichever of its executions returned it.
  const last = app
    .callsOf(runId, 'step')
    .reduce((one, other) => (other.body.length > one.body.length ? other : one));
  const stored = storedResults(last.body);
  expect(stored).toMatchObject({
    first: expect.any(String),
    second: expect.any(String),
    branch: expect.any(String),
    last: expect.any(String),
  });
  const { first, second, branch, last: end } = stored;
  expect(response).toMatchObject({
    first,
    second,
    branch,
    other: stored['other branch'],
    last: end,
  });
}

const runs = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, number) => run(`${name}-${number}`)));

describe('runs', () => {
  it(`end as they must while their server is killed at random moments (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const all: Promise<unknown>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      all.push(runs(`killed-${round}`, runsOfEachRound));
      await pause(200 + random.next() * 1500);
      await server.kill();
      server = await ServerProcess.start(folder, Number(new URL(server.url).port), environment);
    }
    await Promise.all(all);
    expect(app.contradictions()).toEqual([]);
  }, 600_000);

  it(`end as they must while their endpoint crashes (seed ${seed})`, async () => {
    const random = new SeededRandom(seed + 1);
    const crashes: readonly Crash[] = ['before', 'during', 'after'];
    let crashed = 0;
    app.crash(() => {
      const crash = random.chance(0.3) ? random.pick(crashes) : null;
      if (crash !== null) crashed += 1;
      return crash;
    });
    await runs('crashed', runsOfEachRound);
    app.crash(() => null);
    expect(app.contradictions()).toEqual([]);
    expect(crashed).toBeGreaterThan(runsOfEachRound);
  }, 600_000);
});
