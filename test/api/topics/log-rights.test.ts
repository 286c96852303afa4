/**
 * Every route of the log interface with every kind of credential. A route that is not in the table
 * fails the test, because its rights must be decided here.
 */
import { request } from 'undici';
import { callLog, createCredential } from '../../support/clients/log-api.js';
import { callOf } from '../../support/clients/log-waits.js';
import { startServer, type TestServer } from '../../support/server.js';

/** The kinds of credentials, in the order of the statuses in the table. */
const kinds = [
  ['full', null],
  ['all of rides', ['ALL', 'rides']],
  ['produces rides', ['PRODUCE', 'rides']],
  ['consumes rides', ['CONSUME', 'rides']],
  ['consumes r*', ['CONSUME', 'r*']],
  ['consumes *', ['CONSUME', '*']],
  ['consumes bills', ['CONSUME', 'bills']],
] as const;

type Statuses = readonly [number, number, number, number, number, number, number];

/** A call, and the status that each kind of credential gets. */
type Case = readonly [target: string, body: unknown, statuses: Statuses];

const place = (topic: string) => ({ topic, partition: 0 });
const from = (topic: string) => ({ topic, partition: 0, offset: 0, timeout: 0 });
const read = (...topics: string[]) => ({ topics, timeout: 0 });
const value = (topic: string) => ({ topic, value: 'v' });
const earliest = (topic: string) => ({ ...place(topic), earliest: true });

const readsRides: Statuses = [200, 200, 403, 200, 200, 200, 403];
const readsSecret: Statuses = [200, 403, 403, 403, 403, 200, 403];
const producesRides: Statuses = [200, 200, 200, 403, 403, 403, 403];
const producesSecret: Statuses = [200, 403, 403, 403, 403, 403, 403];
const administers = (status: number): Statuses => [status, 403, 403, 403, 403, 403, 403];

/*
  {own}      a group of rides with the instance i
  {foreign}  a group of secret with the instance i
  {mixed}    a group with the instance i that reads rides, and j that reads secret
  {left}     a group without instances that has read secret
  {absent}   no group
*/
const commits: readonly Case[] = [
  ['/commit/{own}/i', '', readsRides],
  ['/commit/{own}/i', [], readsRides],
  ['/commit/{own}/i', from('rides'), readsRides],
  ['/commit/{own}/i', [from('rides'), from('secret')], readsSecret],
  ['/commit/{foreign}/i', '', readsSecret],
  ['/commit/{foreign}/i', from('rides'), readsSecret],
  ['/commit/{foreign}/none', '', [404, 403, 403, 403, 403, 404, 403]],
  ['/commit/{mixed}/i', '', readsSecret],
  ['/commit/{absent}/i', '', [404, 404, 403, 404, 404, 404, 404]],
  ['/commit/{own}/i', from('none'), [404, 403, 403, 403, 403, 404, 403]],
];
const committed: readonly Case[] = [
  ['/committed/{own}/i', place('rides'), readsRides],
  ['/committed/{own}/i', [], readsRides],
  ['/committed/{own}/i', [place('rides'), place('secret')], readsSecret],
  ['/committed/{foreign}/i', place('rides'), readsSecret],
  ['/committed/{foreign}/i', [], readsSecret],
  ['/committed/{left}/i', place('rides'), readsSecret],
  ['/committed/{absent}/i', place('rides'), readsRides],
  ['/committed/{absent}/i', place('none'), [404, 403, 403, 403, 403, 404, 403]],
];
const consumes: readonly Case[] = [
  ['/consume/{own}/i', read('rides'), readsRides],
  ['/consume/{own}/more', read('rides'), readsRides],
  ['/consume/{own}/i', read('rides', 'secret'), readsSecret],
  ['/consume/{foreign}/i', read('rides'), readsSecret],
  ['/consume/{foreign}/more', read('rides'), readsSecret],
  ['/consume/{mixed}/i', read('rides'), readsSecret],
  ['/consume/{mixed}/j', read('rides'), readsSecret],
  ['/consume/{left}/i', read('rides'), readsSecret],
  ['/consume/{absent}/i', read('rides'), readsRides],
];
const removals: readonly Case[] = [
  ['/delete-consumer/{own}/i', '', readsRides],
  ['/delete-consumer/{foreign}/i', '', readsSecret],
  ['/delete-consumer/{mixed}/i', '', readsSecret],
  ['/delete-consumer/{left}/i', '', [404, 403, 403, 403, 403, 404, 403]],
  ['/delete-consumer/{absent}/i', '', [404, 404, 403, 404, 404, 404, 404]],
];
const fetches: readonly Case[] = [
  ['/fetch', from('rides'), readsRides],
  ['/fetch', from('secret'), readsSecret],
  ['/fetch', { ...from('rides'), topicPartitionOffsets: [from('secret')] }, readsSecret],
];
const lookups: readonly Case[] = [
  ['/offsets/latest', place('rides'), readsRides],
  ['/offsets/0', [place('rides'), place('secret')], readsSecret],
];
const produces: readonly Case[] = [
  ['/produce', value('rides'), producesRides],
  ['/produce', [value('rides'), value('secret')], producesSecret],
];
const producesToOne: readonly Case[] = [
  ['/produce/rides', value('rides'), producesRides],
  ['/produce/secret', value('secret'), producesSecret],
];
const webhooks: readonly Case[] = [
  ['/webhook?topic=rides', 'x', producesRides],
  ['/webhook?topic=secret', 'x', producesSecret],
];
const subscription = { name: 'none', topic: 'none', destination: 'https://example.com' };

const table: Readonly<Record<string, readonly Case[]>> = {
  'GET /commit/{group}/{instance}': commits,
  'POST /commit/{group}/{instance}': commits,
  'GET /committed/{group}/{instance}': committed,
  'POST /committed/{group}/{instance}': committed,
  'GET /consume/{group}/{instance}': consumes,
  'POST /consume/{group}/{instance}': consumes,
  'GET /consume/{group}/{instance}/{topic}': [
    ['/consume/{own}/i/rides?timeout=0', '', readsRides],
    ['/consume/{own}/i/secret?timeout=0', '', readsSecret],
    ['/consume/{foreign}/i/rides?timeout=0', '', readsSecret],
    ['/consume/{left}/i/rides?timeout=0', '', readsSecret],
    ['/consume/{absent}/i/rides?timeout=0', '', readsRides],
  ],
  'GET /consumers': [['/consumers', '', [200, 200, 403, 200, 200, 200, 200]]],
  'POST /delete-consumer/{group}/{instance}': removals,
  'DELETE /delete-consumer/{group}/{instance}': removals,
  'GET /fetch': fetches,
  'POST /fetch': fetches,
  'GET /offsets/{timestamp}': lookups,
  'POST /offsets/{timestamp}': lookups,
  'GET /produce': produces,
  'POST /produce': produces,
  'GET /produce/{topic}': producesToOne,
  'POST /produce/{topic}': producesToOne,
  'GET /produce/{topic}/{message}': [
    ['/produce/rides/hello', '', producesRides],
    ['/produce/secret/hello', '', producesSecret],
  ],
  'POST /seek/{group}/{instance}': [
    ['/seek/{own}/i', earliest('rides'), readsRides],
    ['/seek/{own}/i', [earliest('rides'), earliest('secret')], readsSecret],
    ['/seek/{own}/i', [], readsRides],
    ['/seek/{foreign}/i', earliest('rides'), readsSecret],
    ['/seek/{foreign}/i', [], readsSecret],
    ['/seek/{absent}/i', earliest('rides'), [404, 404, 403, 404, 404, 404, 403]],
  ],
  'GET /tail/{topic}': [
    ['/tail/rides?from=x', '', [400, 400, 403, 400, 400, 400, 403]],
    ['/tail/secret?from=x', '', [400, 403, 403, 403, 403, 400, 403]],
  ],
  'GET /topics': [['/topics', '', [200, 200, 200, 200, 200, 200, 200]]],
  'GET /webhook': webhooks,
  'POST /webhook': webhooks,
  'GET /admin/build': [['/admin/build', '', administers(200)]],
  'GET /admin/cluster': [['/admin/cluster', '', administers(404)]],
  'POST /admin/cluster/handover': [['/admin/cluster/handover', {}, administers(404)]],
  'GET /admin/config': [['/admin/config', '', administers(200)]],
  'GET /admin/origins': [['/admin/origins', '', administers(200)]],
  'GET /admin/overview': [['/admin/overview', '', administers(200)]],
  'POST /admin/origins/pause': [['/admin/origins/pause', {}, administers(400)]],
  'POST /admin/origins/resume': [['/admin/origins/resume', {}, administers(400)]],
  'POST /admin/reach': [['/admin/reach', {}, administers(400)]],
  'GET /admin/series': [['/admin/series', '', administers(200)]],
  'GET /admin/backup': [['/admin/backup', '', administers(200)]],
  'POST /admin/backup': [['/admin/backup', {}, administers(422)]],
  'GET /admin/journal': [['/admin/journal?from=x', '', administers(400)]],
  'GET /admin/journal/activity': [['/admin/journal/activity?step=x', '', administers(400)]],
  'GET /admin/journal/entity': [['/admin/journal/entity', '', administers(400)]],
  'POST /admin/tokens': [['/admin/tokens', {}, administers(400)]],
  'GET /admin/tokens': [['/admin/tokens', '', administers(200)]],
  'DELETE /admin/tokens/{name}': [['/admin/tokens/none', '', administers(404)]],
  'POST /admin/credentials': [['/admin/credentials', {}, administers(400)]],
  'GET /admin/credentials': [['/admin/credentials', '', administers(200)]],
  'DELETE /admin/credentials/{name}': [['/admin/credentials/none', '', administers(404)]],
  'GET /admin/groups': [['/admin/groups', '', administers(200)]],
  'GET /admin/groups/{group}': [
    ['/admin/groups/{own}', '', administers(200)],
    ['/admin/groups/{absent}', '', administers(404)],
  ],
  'DELETE /admin/groups/{group}': [
    ['/admin/groups/{own}', '', administers(409)],
    ['/admin/groups/{left}', '', administers(200)],
    ['/admin/groups/{absent}', '', administers(404)],
  ],
  'POST /admin/groups/{group}/offsets': [
    ['/admin/groups/{left}/offsets', { topic: 'rides', to: 'latest' }, administers(200)],
    ['/admin/groups/{own}/offsets', { topic: 'rides', to: 'latest' }, administers(409)],
  ],
  'POST /admin/subscriptions': [
    ['/admin/subscriptions', { ...subscription, topic: '__none' }, administers(400)],
  ],
  'GET /admin/subscriptions': [['/admin/subscriptions', '', administers(200)]],
  'GET /admin/subscriptions/{name}': [['/admin/subscriptions/none', '', administers(404)]],
  'DELETE /admin/subscriptions/{name}': [['/admin/subscriptions/none', '', administers(404)]],
  'PATCH /admin/subscriptions/{name}/pause': [
    ['/admin/subscriptions/none/pause', '', administers(404)],
  ],
  'POST /admin/subscriptions/{name}/pause': [
    ['/admin/subscriptions/none/pause', '', administers(404)],
  ],
  'PATCH /admin/subscriptions/{name}/resume': [
    ['/admin/subscriptions/none/resume', '', administers(404)],
  ],
  'POST /admin/subscriptions/{name}/resume': [
    ['/admin/subscriptions/none/resume', '', administers(404)],
  ],
  'GET /admin/topics': [['/admin/topics', '', administers(200)]],
  'POST /admin/topics': [['/admin/topics', { name: 'rides' }, administers(409)]],
  'GET /admin/topics/{name}': [['/admin/topics/rides', '', administers(200)]],
  'PATCH /admin/topics/{name}': [['/admin/topics/rides', { partitions: 2 }, administers(200)]],
  'DELETE /admin/topics/{name}': [['/admin/topics/none', '', administers(404)]],
  'POST /admin/topics/{name}/purge': [
    ['/admin/topics/rides/purge', { partition: 0, before: 0 }, administers(200)],
  ],
};

let server: TestServer;
let credentials: ReadonlyMap<string, string>;
let groups = 0;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_TOPIC_PARTITIONS: '2' } });
  const known = new Map<string, string>();
  for (const [index, [name, grant]] of kinds.entries()) {
    const made =
      grant === null
        ? server.basic
        : await createCredential(server, `c${index}`, grant[0], grant[1]);
    known.set(name, made);
  }
  credentials = known;
  for (const topic of ['rides', 'secret', 'bills'])
    await call('POST', `/produce/${topic}`, value(topic));
});

afterAll(() => server.remove());

/** Sends a call; even a GET may have a body. */
async function call(
  method: string,
  target: string,
  body: unknown,
  authorization = server.basic,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await request(`${server.url}${target}`, {
    method: method as 'GET',
    headers: { authorization, ...headers },
    ...(body !== '' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: JSON.parse(text) as unknown };
}

const basicOf = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

const join = (group: string, instance: string, topic: string) =>
  call('GET', `/consume/${group}/${instance}/${topic}?timeout=0`, '');

/** Creates the group that a target names, with the full credential. */
async function staged(target: string): Promise<{ target: string; group: string }> {
  groups += 1;
  const role = /\{(\w+)\}/.exec(target)?.[1] ?? '';
  const group = `${role}-${groups}`;
  if (role === 'own' || role === 'mixed') await join(group, 'i', 'rides');
  if (role === 'mixed') await join(group, 'j', 'secret');
  if (role === 'foreign' || role === 'left') await join(group, 'i', 'secret');
  if (role === 'left') await call('DELETE', `/delete-consumer/${group}/i`, '');
  return { target: target.replace(`{${role}}`, group), group };
}

/** Everything that a refused call might have changed. */
async function everything(group: string) {
  const shown = ['/topics', '/admin/topics', '/admin/credentials', `/admin/groups/${group}`];
  return Promise.all(shown.map(async (path) => (await call('GET', path, '')).body));
}

it('the table has every route that requires Basic credentials', async () => {
  const { body } = await callLog(server, '/openapi.json');
  const { paths } = body as {
    paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
  };
  const served = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((each) => 'basic' in each))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.length).toBeGreaterThan(40);
  expect(Object.keys(table).sort()).toEqual(served.sort());
});

describe.each(Object.entries(table))('%s', (route, cases) => {
  const [method = ''] = route.split(' ');

  it.each(cases)(
    '%s with %j is answered as the credential permits',
    async (pattern, body, statuses) => {
      const answered: number[] = [];
      const asked = [...kinds.entries()].map(([index, [name]]) => ({ index, name }));
      const isRefused = ({ index }: { index: number }) => statuses[index] === 403;
      // One group is enough for all calls that change nothing.
      const { target, group } = await staged(pattern);
      const before = await everything(group);
      for (const { index, name } of asked.filter(isRefused)) {
        const { status, body: answer } = await call(method, target, body, credentials.get(name));
        answered[index] = status;
        expect(answer).toEqual({ error: expect.stringMatching(/^forbidden: /), status });
        // The answer contains nothing that the credential may not read, beyond what the call named
        // itself.
        if (!JSON.stringify([target, body]).includes('secret'))
          expect(JSON.stringify(answer)).not.toContain('secret');
      }
      expect(await everything(group)).toEqual(before);
      for (const { index, name } of asked.filter((kind) => !isRefused(kind))) {
        const own = await staged(pattern);
        answered[index] = (await call(method, own.target, body, credentials.get(name))).status;
      }
      expect(answered).toEqual(statuses);
    },
  );

  it('refuses a caller without valid Basic credentials', async () => {
    const [[pattern, body]] = cases as [Case];
    const wrong = basicOf(`${server.credentials.restUsername}:wrong`);
    const unknown = basicOf('unknown:wrong');
    const { target, group } = await staged(pattern);
    const before = await everything(group);
    for (const authorization of ['', wrong, unknown, server.bearer]) {
      const { status } = await call(method, target, body, authorization);
      expect([authorization, status]).toEqual([authorization, 401]);
    }
    expect(await everything(group)).toEqual(before);
  });
});

it('listings show only the topics of a credential, and groups that read only these', async () => {
  const { group: own } = await staged('{own}');
  const { group: foreign } = await staged('{foreign}');
  const { group: mixed } = await staged('{mixed}');
  const reader = credentials.get('consumes rides');
  const shown = (await call('GET', '/consumers', '', reader)).body as { name: string }[];
  const names = shown.map(({ name }) => name);
  expect(names).toContain(own);
  expect(names).not.toContain(foreign);
  expect(names).not.toContain(mixed);
  const all = (await call('GET', '/consumers', '')).body as { name: string }[];
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining([own, foreign, mixed]));
  expect((await call('GET', '/topics', '', reader)).body).toEqual({ rides: 2 });
});

describe('a call that waits', () => {
  const wait = (group: string, topic: string, authorization: string, reset: string) =>
    call('POST', `/consume/${group}/i`, { topic, timeout: 30_000 }, authorization, {
      'stream-auto-offset-reset': reset,
    });

  it('gets nothing of topics that another call makes the instance read', async () => {
    const reader = credentials.get('consumes r*') ?? '';
    await call('POST', '/admin/topics', { name: 'rides-quiet' });
    const answer = wait('taken', 'rides-quiet', reader, 'earliest');
    await callOf(server, 'taken');
    const owner = call('GET', '/consume/taken/i/secret?timeout=5000', '');
    expect(await answer).toEqual({ status: 200, body: [] });
    const given = (await owner).body as { topic: string }[];
    expect(given.length).toBeGreaterThan(0);
    expect(new Set(given.map(({ topic }) => topic))).toEqual(new Set(['secret']));
  });

  it('gets nothing once its credential is deleted; the records are given to others', async () => {
    const brief = await createCredential(server, 'brief', 'CONSUME', 'bills');
    const answer = wait('ended', 'bills', brief, 'latest');
    await callOf(server, 'ended');
    await call('DELETE', '/admin/credentials/brief', '');
    await call('POST', '/produce/bills', { value: 'late', partition: 0 });
    expect(await answer).toEqual({ status: 200, body: [] });
    expect((await join('ended', 'i', 'bills')).body).toMatchObject([{ value: 'late' }]);
  });

  it('for a stream ends when its credential is deleted', async () => {
    const authorization = await createCredential(server, 'streams', 'CONSUME', 'bills');
    const stream = await request(`${server.url}/consume/streamed/i/bills`, {
      headers: { authorization, accept: 'application/x-ndjson' },
    });
    await call('DELETE', '/admin/credentials/streams', '');
    await call('POST', '/produce/bills', { value: 'unseen', partition: 0 });
    let read = '';
    try {
      for await (const chunk of stream.body) read += chunk;
    } catch {
      // The request is aborted if it does not end within a second.
    }
    expect(read).not.toContain('unseen');
  });
});
