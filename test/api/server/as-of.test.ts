import { Journal } from '../../../src/engine/journal.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

/**
 * What the server answered, with `null` for fields that only memory knows and the past cannot show.
 */
interface Given {
  readonly status: number;
  readonly body: unknown;
}

/** A moment of the test: the end of the journal, the time, and what the server answered then. */
interface Moment {
  readonly step: string;
  readonly offset: number;
  readonly time: number;
  readonly answers: ReadonlyMap<string, Given>;
}

/** Nothing is sent here: the messages are delayed or wait in a paused queue. */
const far = 'http://127.0.0.1:8999/far';

/** An endpoint that answers 500. */
let failing: RecordingEndpoint;
let server: TestServer;
const ids: Record<string, string> = {};
const moments: Moment[] = [];

/** Settings of a member belong to its session, which is not recorded. */
const sessionFields = new Set([
  ...['autoCommit', 'autoCommitIntervalMs', 'offsetReset', 'sessionTimeoutMs'],
]);
const unknownFields = new Set([
  ...['waitListSize', 'parallelismCount', 'rateCount', 'bytes', 'offsets', 'lastUsedAt'],
  ...['committed', 'position', 'endOffset', 'lastSeenAt', 'isCalling'],
]);
/** The lag of a queue is derived from its messages; that of a group from positions. */
const hasUnknownLag = /^\/admin\/(?:groups|subscriptions)/;

function known(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((each) => known(each, path));
  if (typeof value !== 'object' || value === null) return value;
  const recorded = Object.entries(value).filter(([name]) => !sessionFields.has(name));
  const fields = recorded.map(([name, each]) => {
    const isUnknown = unknownFields.has(name) || (name === 'lag' && hasUnknownLag.test(path));
    return [name, isUnknown ? null : known(each, path)];
  });
  return Object.fromEntries(fields);
}

async function call(method: string, path: string, headers = {}, body?: unknown) {
  const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
  const given = body === undefined ? undefined : JSON.stringify(body);
  return callApi(server, method, path, { authorization, ...headers }, given);
}

/** Makes a request that changes something, and expects it to succeed. */
async function change(method: string, path: string, headers = {}, body?: unknown) {
  const answer = await call(method, path, headers, body);
  expect({ path, status: answer.status, body: answer.status < 300 ? null : answer.body }).toEqual({
    path,
    status: answer.status,
    body: null,
  });
  return answer;
}

async function get(path: string): Promise<Given> {
  const { status, body } = await call('GET', path);
  return { status, body: known(body, path) };
}

function asOf(path: string, moment: number | string): Promise<Given> {
  return get(`${path}${path.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(moment)}`);
}

const targets = () => [
  ...[`/v2/messages/${ids['late']}`, `/v2/messages/${ids['queued']}`, '/v2/queues', '/v2/queues/q'],
  '/v2/messages',
  ...['/v2/jobs', `/v2/jobs/${ids['job']}`],
  ...['/v2/schedules', '/v2/schedules/s', '/v2/topics', '/v2/topics/g'],
  ...['/v2/flowControl', '/v2/flowControl/k', '/v2/dlq', `/v2/dlq/${ids['dead']}`],
  ...['/v2/logs?order=earliestFirst', '/v2/workflows/logs', '/v2/workflows/dlq'],
  ...['/v2/workflows/events', '/v2/workflows/messageLogs', '/v2/workflows/runs/wfr_run'],
  ...['/admin/topics', '/admin/topics/t', '/admin/subscriptions', '/admin/subscriptions/sub'],
  ...['/admin/groups', '/admin/groups/cg', '/admin/credentials', '/admin/tokens'],
];

async function eventually<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Remembers what the server answers now. No two moments have the same time. */
async function remember(step: string): Promise<void> {
  const journal = server.application.nest.get(Journal, { strict: false });
  const time = Date.now();
  await eventually(async () => (Date.now() > time + 1 ? true : undefined));
  const offset = journal.highWatermark;
  const answers = new Map<string, Given>();
  for (const path of targets()) answers.set(path, await get(path));
  expect(journal.highWatermark).toBe(offset);
  moments.push({ step, offset, time: Date.now(), answers });
  await eventually(async () => (Date.now() > (moments.at(-1)?.time ?? 0) ? true : undefined));
}

async function publish(name: string, headers: object, to = `/v2/publish/${far}`): Promise<void> {
  const { body } = await change('POST', to, headers, { name });
  ids[name] = (body as { messageId: string }).messageId;
}

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_RETRIES: '0' } });
  failing = await RecordingEndpoint.start(() => ({ status: 500 }));
  // Placeholders for ids that do not exist yet.
  Object.assign(ids, { late: 'msg_none', queued: 'msg_none', dead: 'none', job: 'job_0' });
  await remember('nothing');
  await publish('late', {
    'svc-delay': '1h',
    'svc-flow-control-key': 'k',
    'svc-flow-control-value': 'rate=5',
    'svc-label': 'one',
  });
  await remember('a message');
  const json = { 'content-type': 'application/json' };
  await change('POST', '/v2/queues', json, { queueName: 'q', parallelism: 2 });
  await change('POST', '/v2/queues/q/pause');
  await publish('queued', {}, `/v2/enqueue/q/${far}`);
  await change('POST', '/v2/topics/g/endpoints', json, { endpoints: [{ name: 'a', url: far }] });
  await remember('a queue and a group');
  const schedule = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 's' };
  await change('POST', `/v2/schedules/${far}`, schedule, { tick: true });
  await change('POST', '/v2/flowControl/k/pause');
  await remember('a schedule and a paused key');
  const run = {
    'upstash-workflow-init': 'true',
    'upstash-workflow-runid': 'wfr_run',
    'upstash-workflow-url': far,
    'upstash-workflow-sdk-version': '1',
    'upstash-delay': '1h',
  };
  await change('POST', '/v2/batch', json, [{ destination: far, headers: run, body: '{}' }]);
  await remember('a run');
  await publish('failing', { 'svc-retries': '0' }, `/v2/publish/${failing.url}/x`);
  ids['dead'] = await eventually(async () => {
    const { body } = await call('GET', '/v2/dlq');
    return (body as { messages: { dlqId: string }[] }).messages[0]?.dlqId;
  });
  await remember('a dead letter');
  const work = { verb: 'delete', over: 'deadLetters', filter: { label: 'none' } };
  const { body } = await change('POST', '/v2/jobs', json, work);
  ids['job'] = (body as { jobId: string }).jobId;
  await eventually(async () => {
    const job = (await call('GET', `/v2/jobs/${ids['job']}`)).body as { state: string };
    return job.state === 'DONE' ? job : undefined;
  });
  await remember('a job');
  await change('POST', '/admin/topics', json, { name: 't', partitions: 2 });
  const sub = { name: 'sub', topic: 't', destination: far };
  await change('POST', '/admin/subscriptions', json, sub);
  await call('GET', '/consume/cg/one/t');
  const credential = { name: 'c', permissions: 'CONSUME', topic: 't' };
  await change('POST', '/admin/credentials', json, credential);
  await change('POST', '/admin/tokens', json, { name: 'auditor', role: 'read' });
  await remember('topics');
  await change('DELETE', `/v2/messages/${ids['late']}`);
  await change('DELETE', '/v2/workflows/runs/wfr_run');
  await change('DELETE', '/v2/queues/q');
  await change('DELETE', '/v2/schedules/s');
  await change('DELETE', '/v2/topics/g');
  await change('DELETE', `/v2/dlq/${ids['dead']}`);
  await change('DELETE', '/admin/subscriptions/sub');
  await change('DELETE', '/admin/credentials/c');
  await change('DELETE', '/admin/tokens/auditor');
  await remember('all is gone');
}, 120_000);

afterAll(async () => {
  await failing.stop();
  await server.remove();
});

describe('?asOf=', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'answers what the server answered at moment %d',
    async (index) => {
      const { step, offset, time, answers } = moments[index] as Moment;
      for (const path of targets()) {
        // For ids that were not known yet there is no answer to compare with.
        const then = answers.get(path) ?? { status: 404 };
        expect({ step, path, given: await asOf(path, offset) }).toMatchObject({
          ...{ step, path },
          given: then,
        });
        const byTime = await asOf(path, time);
        expect({ step, path, status: byTime.status }).toEqual({ step, path, status: then.status });
      }
    },
    60_000,
  );

  it('shows the past to callers that may see the present, and to no others', async () => {
    const offset = moments[2]?.offset ?? 0;
    const status = async (path: string, authorization: string) => {
      const response = await fetch(`${server.url}${path}?asOf=${offset}`, {
        headers: { authorization },
      });
      return response.status;
    };
    expect(await status('/v2/queues', '')).toBe(401);
    expect(await status('/v2/queues', `Bearer ${server.readToken}`)).toBe(200);
    const credential = { name: 'some', permissions: 'CONSUME', topic: 't' };
    const { body } = await change('POST', '/admin/credentials', {}, credential);
    const { password } = body as { password: string };
    const basic = `Basic ${Buffer.from(`some:${password}`).toString('base64')}`;
    expect(await status('/admin/topics', basic)).toBe(403);
    const made = await change('POST', '/admin/tokens', {}, { name: 'looks', role: 'read' });
    const { token } = made.body as { token: string };
    expect(await status('/admin/topics', `Bearer ${token}`)).toBe(200);
    expect(await status('/admin/tokens', `Bearer ${token}`)).toBe(403);
  });

  it('is refused if the past state cannot be known, or if it names no moment', async () => {
    const now = ['/admin/overview', '/admin/series', '/admin/config', '/admin/build'];
    for (const path of [...now, '/v2/globalParallelism', '/v2/keys', '/topics', '/admin/backup']) {
      expect([path, (await asOf(path, 1)).status]).toEqual([path, 422]);
    }
    for (const moment of ['yesterday', '', '-1']) {
      expect([moment, (await asOf('/v2/queues', moment)).status]).toEqual([moment, 400]);
    }
    expect((await asOf('/v2/queues?asOf=1', 2)).status).toBe(400);
    expect((await asOf('/v2/dlq?unknown=1', 2)).status).toBe(400);
  });
});
