import { systemClock } from '../../../src/engine/clock.js';
import { cursorAt } from '../../../src/http/cursor.js';
import type { JobObject } from '../../../src/messaging/jobs/job-object.js';
import { failureOffsetOf } from '../../../src/messaging/messages/dead-letter-id.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

const dayMs = 86_400_000;
const begun = systemClock.now();

let server: TestServer;
let endpoint: RecordingEndpoint;
/** The clock of the server stands still except for this. */
let ahead = 0;
let labels = 0;

const start = (dataDirectory?: string) => {
  const clock = { ...systemClock, now: () => begun + ahead };
  return startServer({ ports: { clock }, ...(dataDirectory !== undefined && { dataDirectory }) });
};

beforeAll(async () => {
  server = await start();
  endpoint = await RecordingEndpoint.start();
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const tick = () => new Promise((resolve) => setTimeout(resolve, 10));
const call = (method: string, path: string, body?: unknown, headers = {}) =>
  callApi(server, method, path, headers, JSON.stringify(body));
const show = async (id: string) => (await call('GET', `/v2/jobs/${id}`)).body as JobObject;
const abort = (id: string) => call('POST', `/v2/jobs/${id}/abort`);

async function create(body: object, headers = {}): Promise<JobObject> {
  const answer = await call('POST', '/v2/jobs', body, headers);
  expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
  return answer.body as JobObject;
}

/** The job once `isSo` is true for it; `meanwhile` is called between checks. */
async function until(
  id: string,
  isSo: (job: JobObject) => boolean,
  meanwhile: () => void = () => undefined,
): Promise<JobObject> {
  for (;;) {
    const job = await show(id);
    if (isSo(job)) return job;
    meanwhile();
    await tick();
  }
}
const ended = (id: string) => until(id, ({ state }) => state === 'DONE');

/** Dead letters with a label of their own. */
async function lettersOf(count: number): Promise<{ label: string; ids: readonly string[] }> {
  labels += 1;
  const label = `label${labels}`;
  endpoint.answerInTurn({ status: 500 });
  const items = Array.from({ length: count }, () => ({
    destination: `${endpoint.url}/${label}`,
    headers: { 'svc-retries': '0', 'svc-label': label },
  }));
  await call('POST', '/v2/batch', items);
  for (;;) {
    const ids = await idsOf(label);
    if (ids.length === count) {
      endpoint.answerInTurn({ status: 200 });
      return { label, ids };
    }
    await tick();
  }
}

async function idsOf(label: string): Promise<readonly string[]> {
  const query = `label=${label}&order=earliestFirst`;
  const { body } = await call('GET', `/v2/dlq?${query}`);
  return (body as { messages: { dlqId: string }[] }).messages.map(({ dlqId }) => dlqId);
}

/** The progress of a job in the journal: how much was done at each event. */
async function takenBy(jobId: string): Promise<readonly string[]> {
  const path = `/admin/journal?by=job/${jobId}&count=1000`;
  const { body } = await callApi(server, 'GET', path, { authorization: server.basic });
  const lines = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; id: string });
  return lines.filter(({ type }) => type === 'DeadLetterRetried').map(({ id }) => id);
}

describe('a job', () => {
  it('retries all dead letters that match its filter, and no others', async () => {
    const others = await lettersOf(3);
    const { label, ids } = await lettersOf(80);
    const before = endpoint.requests.length;
    const created = await create({ verb: 'retry', over: 'deadLetters', filter: { label } });
    expect(created).toMatchObject({
      verb: 'retry',
      over: 'deadLetters',
      filter: { label: [label] },
    });
    const job = await ended(created.jobId);
    expect(job).toEqual({
      ...created,
      state: 'DONE',
      matched: 80,
      done: 80,
      refused: 0,
      refusals: [],
      endedAt: begun,
      by: { name: expect.any(String), address: '127.0.0.1', requestId: expect.any(String) },
    });
    await endpoint.received(before + 80);
    expect(await idsOf(label)).toEqual([]);
    expect(await idsOf(others.label)).toEqual(others.ids);
    expect(await takenBy(job.jobId)).toEqual(ids);
    const { body } = await call('GET', '/v2/jobs?count=1');
    expect(body).toEqual({
      jobs: [job],
      total: expect.any(Number),
      ...(labels > 2 && { cursor: cursorAt(job.jobId) }),
    });
  });

  it('applies its option headers to each item', async () => {
    const { label } = await lettersOf(2);
    const { jobId } = await create(
      { verb: 'retry', over: 'deadLetters', filter: { label: [label] } },
      { 'upstash-label': `${label}-again`, 'upstash-delay': '1h' },
    );
    await ended(jobId);
    const { body } = await call('GET', `/v2/messages?label=${label}-again`);
    expect(body).toMatchObject({ messages: [{ state: 'DELAYED' }, { state: 'DELAYED' }] });
    const query = { verb: 'cancel', over: 'messages', filter: { label: `${label}-again` } };
    expect((await ended((await create(query)).jobId)).done).toBe(2);
    expect((await call('GET', `/v2/messages?label=${label}-again`)).body).toEqual({ messages: [] });
  });

  it('deletes the named letters that exist', async () => {
    const { label, ids } = await lettersOf(3);
    const filter = { dlqIds: [ids[2], ids[0], `${begun}-9999999`] };
    const { jobId } = await create({ verb: 'delete', over: 'deadLetters', filter });
    expect(await ended(jobId)).toMatchObject({ matched: 2, done: 2 });
    expect(await idsOf(label)).toEqual([ids[1]]);
  });

  it('takes no more items per second than its rate', async () => {
    const { label, ids } = await lettersOf(4);
    const body = { verb: 'delete', over: 'deadLetters', filter: { label }, rate: '10/s' };
    const { jobId } = await create(body);
    for (const [index] of ids.entries()) {
      // The clock stands still, so no more can be done, however long this takes.
      expect((await until(jobId, ({ done }) => done > index)).done).toBe(index + 1);
      expect(await idsOf(label)).toEqual(ids.slice(index + 1));
      ahead += 100;
    }
    expect(await ended(jobId)).toMatchObject({ done: 4, rate: 10 });
  });

  it('takes no more items once it is aborted', async () => {
    const { label, ids } = await lettersOf(3);
    const body = { verb: 'retry', over: 'deadLetters', filter: { label }, rate: '1/h' };
    const { jobId } = await create(body);
    await until(jobId, ({ done }) => done === 1);
    const aborted = await abort(jobId);
    expect(aborted).toMatchObject({ status: 200, body: { state: 'ABORTED', done: 1 } });
    ahead += dayMs / 2;
    expect(await call('DELETE', `/v2/jobs/${jobId}`)).toMatchObject({ status: 200 });
    expect(await show(jobId)).toEqual(aborted.body);
    expect(await idsOf(label)).toEqual(ids.slice(1));
    const { jobId: whole } = await create({ ...body, rate: 1000 });
    await ended(whole);
    expect(await abort(whole)).toMatchObject({
      status: 409,
      body: { error: `job ${whole} is done` },
    });
  });

  it('continues where it was after a restart, and takes nothing twice', async () => {
    const { label, ids } = await lettersOf(7);
    const body = { verb: 'retry', over: 'deadLetters', filter: { label }, rate: 10 };
    const { jobId } = await create(body);
    await until(jobId, ({ done }) => done === 1);
    ahead += 100;
    await until(jobId, ({ done }) => done === 2);
    await server.stop();
    server = await start(server.dataDirectory);
    expect(await show(jobId)).toMatchObject({ done: 2, matched: 2, by: { address: '127.0.0.1' } });
    const job = await until(
      jobId,
      ({ state }) => state === 'DONE',
      () => {
        ahead += 100;
      },
    );
    expect(job).toMatchObject({ done: 7, refused: 0 });
    expect(await takenBy(jobId)).toEqual(ids);
  });

  it('does not meet letters that fail again meanwhile', async () => {
    const { label } = await lettersOf(40);
    endpoint.answerInTurn({ status: 500 });
    const { jobId } = await create({ verb: 'retry', over: 'deadLetters', filter: { label } });
    expect((await ended(jobId)).done).toBe(40);
    for (;;) {
      if ((await idsOf(label)).length === 40) break;
      await tick();
    }
  });

  it('waits while four others run', async () => {
    const { label } = await lettersOf(12);
    const body = { verb: 'delete', over: 'deadLetters', filter: { label }, rate: '1/h' };
    const four: JobObject[] = [];
    for (let made = 0; made < 4; made += 1) four.push(await create(body));
    for (const { jobId } of four) await until(jobId, ({ done }) => done === 1);
    const { jobId } = await create(body);
    expect(await show(jobId)).toMatchObject({ state: 'QUEUED', done: 0 });
    await abort(four[1]?.jobId ?? '');
    expect(await until(jobId, ({ done }) => done === 1)).toMatchObject({ state: 'RUNNING' });
    for (const { jobId: other } of [...four, { jobId }]) await abort(other);
    expect(await idsOf(label)).toHaveLength(7);
  });

  it('cancels waiting messages by the filters of their listing', async () => {
    labels += 1;
    const label = `label${labels}`;
    const headers = { 'svc-delay': '1h', 'svc-label': label };
    const items = Array.from({ length: 50 }, (_, index) => ({
      destination: `https://example.com/${index % 2}`,
      headers,
    }));
    await call('POST', '/v2/batch', items);
    const filter = { label, path: '/1', state: 'DELAYED' };
    const { jobId } = await create({ verb: 'cancel', over: 'messages', filter });
    expect(await ended(jobId)).toMatchObject({ matched: 25, done: 25 });
    const { body } = await call('GET', `/v2/messages?label=${label}`);
    const left = (body as { messages: { url: string }[] }).messages.map(({ url }) => url);
    expect(left).toEqual(Array.from({ length: 25 }, () => 'https://example.com/0'));
  });

  it('is forgotten a week after its end', async () => {
    const filter = { label: 'none' };
    const { jobId } = await create({ verb: 'delete', over: 'deadLetters', filter });
    await ended(jobId);
    ahead += 7 * dayMs;
    await server.stop();
    server = await start(server.dataDirectory);
    for (;;) {
      const { status } = await call('GET', `/v2/jobs/${jobId}`);
      if (status === 404) break;
      await tick();
    }
    expect((await call('GET', '/v2/jobs')).body).toEqual({ jobs: [], total: 0 });
  });
});

describe('a dry run', () => {
  it('reports what a job would take, and does not change the journal', async () => {
    const { label, ids } = await lettersOf(3);
    const journal = async () => {
      const path = '/admin/journal?order=newest&count=1';
      return (await callApi(server, 'GET', path, { authorization: server.basic })).body;
    };
    const before = await journal();
    const body = { verb: 'retry', over: 'deadLetters', filter: { label }, dryRun: true };
    expect(await call('POST', '/v2/jobs', body)).toMatchObject({
      status: 200,
      body: { state: 'DRY_RUN', verb: 'retry', over: 'deadLetters', matched: 3, items: ids },
    });
    expect(await journal()).toEqual(before);
    expect(await idsOf(label)).toEqual(ids);
  });

  it('continues after a cursor', async () => {
    const { label, ids } = await lettersOf(3);
    const cursor = cursorAt(failureOffsetOf(ids[0] ?? ''));
    const body = { verb: 'delete', over: 'deadLetters', filter: { label }, dryRun: true, cursor };
    const { body: rest } = await call('POST', '/v2/jobs', body);
    expect(rest).toMatchObject({ matched: 2, items: ids.slice(1) });
  });

  it('names the first hundred items and counts all', async () => {
    const { label, ids } = await lettersOf(100);
    const more = await lettersOf(5);
    const filter = { label: [label, more.label] };
    const body = { verb: 'delete', over: 'deadLetters', filter, dryRun: true };
    const { body: answered } = await call('POST', '/v2/jobs', body);
    expect(answered).toMatchObject({ matched: 105, items: ids });
  });
});

describe('a request for a job', () => {
  const job = { verb: 'retry', over: 'deadLetters', filter: {} };

  it.each([
    [{}, /verb/],
    [{ ...job, verb: 'resume' }, /^verb must be retry or delete of deadLetters$/],
    [{ ...job, over: 'topics' }, /over/],
    [{ verb: 'retry', over: 'deadLetters' }, /filter/],
    [{ ...job, filter: { lable: 'x' } }, /^there is no filter "lable"$/],
    [{ ...job, filter: { label: '' } }, /^label is empty$/],
    [{ ...job, filter: { label: [] } }, /^label is empty$/],
    [{ ...job, filter: { count: 5 } }, /^there is no filter "count"$/],
    [{ ...job, filter: { fromDate: 'today' } }, /^fromDate must be a whole number$/],
    [{ ...job, filter: { label: 'x'.repeat(20_000) } }, /^filter has more than 16384 characters$/],
    [{ ...job, filter: { label: '\ud83d' } }, /^filter contains an unpaired surrogate$/],
    [{ ...job, rate: 0 }, /^rate/],
    [{ ...job, rate: -1 }, /^rate/],
    [{ ...job, rate: '5 a second' }, /^rate/],
    [{ ...job, rate: 10_001 }, /^rate is more than 10000 a second$/],
    [{ ...job, cursor: '1' }, /^cursor is only for dry runs$/],
    [{ ...job, dryRun: true, cursor: 'x' }, /^cursor/],
    [{ ...job, limit: 1 }, /limit/],
  ])('is refused if it is invalid, case %#', async (body, error) => {
    const answer = await call('POST', '/v2/jobs', body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(error) }]);
  });

  it('is refused if its body is longer than its filters may be', async () => {
    const answer = await call('POST', '/v2/jobs', { ...job, rate: ' '.repeat(131_072) });
    expect([answer.status, answer.body]).toEqual([
      413,
      { error: 'the body is longer than 131072 bytes' },
    ]);
  });

  it('is refused if it has options that a retry cannot change', async () => {
    const headers = { 'svc-method': 'PUT' };
    expect(await call('POST', '/v2/jobs', job, headers)).toMatchObject({ status: 400 });
  });

  it.each([
    ['cancel', 'messages'],
    ['delete', 'deadLetters'],
    ['delete', 'failedRuns'],
    ['cancel', 'runs'],
  ])('is refused if it has options, for %s over %s', async (verb, over) => {
    for (const dryRun of [true, false]) {
      const body = { verb, over, filter: { label: 'none' }, dryRun };
      const refused = await call('POST', '/v2/jobs', body, { 'Svc-Retries': '5' });
      const error = `Svc-Retries means nothing for ${verb}`;
      expect([refused.status, refused.body]).toEqual([400, { error }]);
    }
    const body = { verb, over, filter: { label: 'none' }, dryRun: true };
    const telemetry = { 'svc-telemetry-sdk': 'test' };
    expect((await call('POST', '/v2/jobs', body, telemetry)).status).toBe(200);
  });

  it('needs a token that may make changes', async () => {
    const authorization = `Bearer ${server.readToken}`;
    expect((await call('POST', '/v2/jobs', job, { authorization })).status).toBe(403);
    expect((await call('GET', '/v2/jobs', undefined, { authorization })).status).toBe(200);
  });

  it.each(['GET', 'DELETE'])('by %s for an unknown job is answered 404', async (method) => {
    expect(await call(method, '/v2/jobs/job_1')).toMatchObject({
      status: 404,
      body: { error: 'job job_1 not found' },
    });
  });

  it('can page through the jobs, newest first', async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ahead += 1;
      const body = { verb: 'delete', over: 'deadLetters', filter: { label: 'none' } };
      made.unshift((await create(body)).jobId);
    }
    const idsAt = async (query: string) => {
      const { body } = await call('GET', `/v2/jobs${query}`);
      const { jobs, cursor } = body as { jobs: JobObject[]; cursor?: string };
      return [jobs.map(({ jobId }) => jobId), cursor];
    };
    expect(await idsAt('?count=2')).toEqual([made.slice(0, 2), cursorAt(made[1] ?? '')]);
    expect(await idsAt(`?count=1&cursor=${cursorAt(made[1] ?? '')}`)).toEqual([
      [made[2]],
      undefined,
    ]);
    expect((await call('GET', '/v2/jobs?cursor=x')).status).toBe(400);
  });
});
