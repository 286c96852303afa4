/**
 * Limits of topics, partitions, groups and instances: decided in the turn, and alike for every
 * route.
 */
import { callLog, createCredential } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

afterEach(() => server.remove());

const begin = async (environment: Readonly<Record<string, string>>) => {
  server = await startServer({ environment: { STEPWELL_TOPIC_PARTITIONS: '1', ...environment } });
};
const call = (path: string, body?: unknown, options = {}) => callLog(server, path, body, options);
const topics = async () => Object.keys((await call('/topics')).body as object).sort();
const values = (...names: string[]) => names.map((topic) => ({ topic, value: 'v' }));
const named = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const errorOf = ({ body }: { body: unknown }) => (body as { error: string }).error;

describe('at the maximum number of topics', () => {
  it('every way to create one is refused with the setting, and creates none', async () => {
    await begin({ STEPWELL_TOPICS_MAX: '3' });
    expect((await call('/produce', values('a', 'b', 'c'))).status).toBe(200);
    const subscription = { name: 's', topic: 'd', destination: 'https://example.com' };
    for (const [path, body] of [
      ['/produce', values('d')],
      ['/produce', values('a', 'd')],
      ['/produce/d', { value: 'v' }],
      ['/produce/d/hello', undefined],
      ['/webhook?topic=d', 'x'],
      ['/consume/g/i', { topic: 'd', timeout: 0 }],
      ['/consume/g/i/d?timeout=0', undefined],
      ['/admin/topics', { name: 'd' }],
      ['/admin/subscriptions', subscription],
    ] as const) {
      const refused = await call(path, body);
      expect([path, refused.status]).toEqual([path, 409]);
      expect(errorOf(refused)).toContain('STEPWELL_TOPICS_MAX');
    }
    expect(await topics()).toEqual(['a', 'b', 'c']);
    expect((await call('/admin/groups')).body).toEqual([]);
    await call('/admin/topics/a', undefined, { method: 'DELETE' });
    expect((await call('/produce/d', { value: 'v' })).status).toBe(200);
  });

  it('a request creates all of its topics or none', async () => {
    await begin({ STEPWELL_TOPICS_MAX: '3' });
    for (const [path, body] of [
      ['/produce', values(...named(4))],
      ['/consume/g/i', { topics: named(4), timeout: 0 }],
    ] as const) {
      expect((await call(path, body)).status).toBe(409);
      expect(await topics()).toEqual([]);
    }
    const partial = await call('/produce?partial=true', values(...named(4)));
    const statuses = (partial.body as { status?: number }[]).map(({ status }) => status ?? 200);
    expect(statuses).toEqual([200, 200, 200, 409]);
    expect(await topics()).toEqual(named(3));
  });

  it('one request creates at most 256 topics', async () => {
    await begin({});
    const refused = await call('/produce', values(...named(10_000)));
    expect(refused.status).toBe(400);
    expect(errorOf(refused)).toContain('256');
    expect((await call('/consume/g/i', { topics: named(257), timeout: 0 })).status).toBe(400);
    expect(await topics()).toEqual([]);
    expect((await call('/produce', values(...named(256)))).status).toBe(200);
    expect(await topics()).toHaveLength(256);
  });

  it('concurrent requests create no more together', async () => {
    await begin({ STEPWELL_TOPICS_MAX: '5' });
    const answers = await Promise.all(
      named(20).map((name) => call(`/produce/${name}`, values(name))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15);
    expect(await topics()).toHaveLength(5);
  });

  it('a folder that has more topics opens and works', async () => {
    await begin({});
    await call('/produce', values('a', 'b', 'c'));
    await server.stop();
    const { dataDirectory } = server;
    const environment = { STEPWELL_TOPICS_MAX: '1', STEPWELL_PARTITIONS_MAX: '3' };
    server = await startServer({ dataDirectory, environment });
    expect(await topics()).toEqual(['a', 'b', 'c']);
    expect((await call('/produce', values('a', 'b', 'c'))).status).toBe(200);
    expect((await call('/produce/d', { value: 'v' })).status).toBe(409);
    await call('/admin/topics/a', undefined, { method: 'DELETE' });
    expect((await call('/produce/d', { value: 'v' })).status).toBe(409);
  });
});

describe('at the maximum number of partitions', () => {
  it('topics are neither created nor grown', async () => {
    await begin({ STEPWELL_PARTITIONS_MAX: '5' });
    expect((await call('/admin/topics', { name: 'a', partitions: 3 })).status).toBe(201);
    const patch = { method: 'PATCH' };
    for (const refused of [
      await call('/admin/topics', { name: 'b', partitions: 3 }),
      await call('/admin/topics/a', { partitions: 6 }, patch),
      await call('/produce', values('b', 'c', 'd')),
    ]) {
      expect(refused.status).toBe(409);
      expect(errorOf(refused)).toContain('STEPWELL_PARTITIONS_MAX');
    }
    expect(await topics()).toEqual(['a']);
    expect((await call('/admin/topics/a', { partitions: 5 }, patch)).status).toBe(200);
  });
});

describe('at the maximum numbers of groups and instances', () => {
  const consume = (place: string, authorization = server.basic) =>
    call(`/consume/${place}`, { topic: 't', timeout: 0 }, { headers: { authorization } });

  it('a credential that may only consume creates no more groups', async () => {
    await begin({ STEPWELL_GROUPS_MAX: '2' });
    const reader = await createCredential(server, 'reader', 'CONSUME', 't');
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((group) => consume(`${group}/i`, reader)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    const refused = answers.find(({ status }) => status === 409) ?? { body: {} };
    expect(errorOf(refused)).toContain('STEPWELL_GROUPS_MAX');
    expect((await call('/admin/groups')).body).toHaveLength(2);
  });

  it('a deleted group frees its place, after a restart too', async () => {
    await begin({ STEPWELL_GROUPS_MAX: '1' });
    await consume('a/i');
    await server.stop();
    const { dataDirectory } = server;
    server = await startServer({ dataDirectory, environment: { STEPWELL_GROUPS_MAX: '1' } });
    expect((await consume('b/i')).status).toBe(409);
    await call('/delete-consumer/a/i', '');
    expect((await consume('b/i')).status).toBe(409);
    await call('/admin/groups/a', undefined, { method: 'DELETE' });
    while ((await call('/admin/groups/a')).status !== 404);
    expect((await consume('b/i')).status).toBe(200);
  });

  it('instances of all groups are counted together', async () => {
    await begin({ STEPWELL_CONSUMERS_MAX: '2', STEPWELL_TOPIC_PARTITIONS: '8' });
    expect((await consume('a/1')).status).toBe(200);
    expect((await consume('b/1')).status).toBe(200);
    const refused = await consume('a/2');
    expect(refused.status).toBe(409);
    expect(errorOf(refused)).toContain('STEPWELL_CONSUMERS_MAX');
    expect((await consume('a/1')).status).toBe(200);
    await call('/delete-consumer/b/1', '');
    expect((await consume('a/2')).status).toBe(200);
  });

  it('a refused consume creates no topic', async () => {
    await begin({ STEPWELL_GROUPS_MAX: '2', STEPWELL_TOPIC_PARTITIONS: '1' });
    const roundrobin = { 'Kafka-Assignment-Strategy': 'roundrobin' };
    const events = { accept: 'text/event-stream', 'last-event-id': 'x' };
    await call('/admin/topics', { name: 'there' });
    for (const place of ['g/1', 'full/1']) {
      expect((await call(`/consume/${place}/there?timeout=0`)).status).toBe(200);
    }
    for (const [place, status, headers] of [
      ['g/2', 400, { 'Kafka-Auto-Offset-Reset': 'bogus' }],
      ['g/2', 400, { 'Stream-Session-Timeout-Ms': '1' }],
      ['g/2', 400, events],
      [`${'g'.repeat(257)}/2`, 400, {}],
      [`g/${'i'.repeat(257)}`, 400, {}],
      ['g/2', 409, roundrobin],
      ['other/1', 409, {}],
    ] as const) {
      const answer = await call(`/consume/${place}/new?timeout=0`, undefined, { headers });
      expect([place, answer.status]).toEqual([place, status]);
      const both = { topics: ['there', 'new'], timeout: 0 };
      expect((await call(`/consume/${place}`, both, { headers })).status).toBe(status);
    }
    expect(await topics()).toEqual(['there']);
    // The partition of the new topic makes room for another instance.
    expect((await call('/consume/g/2/new?timeout=0')).status).toBe(200);
    expect(await topics()).toEqual(['new', 'there']);
    for (const topic of ['new', 'newer']) {
      const body = { topics: [topic], timeout: 0 };
      const status = topic === 'new' ? 409 : 200;
      expect((await call('/consume/g/3', body)).status).toBe(status);
    }
  });

  it('an instance waits for the first topic of all', async () => {
    await begin({ STEPWELL_TOPIC_AUTO_CREATE: 'false' });
    for (const place of ['g/1', 'g/2', 'h/1']) {
      expect(await consume(place)).toMatchObject({ status: 200, body: [] });
    }
    await call('/admin/topics', { name: 't', partitions: 2 });
    expect((await call('/produce/t', { value: 'first' })).status).toBe(200);
    expect((await call('/consume/h/1/t?timeout=5000')).body).toMatchObject([{ value: 'first' }]);
    expect((await consume('g/3')).status).toBe(409);
  });

  it('a group does not wait for a topic that cannot be created', async () => {
    await begin({ STEPWELL_TOPIC_AUTO_CREATE: 'false' });
    await call('/admin/topics', { name: 'now' });
    for (const topic of ['x'.repeat(250), 'a/b', '__consumer_offsets']) {
      expect((await call('/consume/g/i', { topic, timeout: 0 })).status).toBe(400);
    }
    expect((await call('/consume/g/i', { topic: 'later', timeout: 0 })).status).toBe(200);
  });
});
