/** Listings over a journal in which one record has rotted: the rest is shown, and it is named. */
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { flipByteOf } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

/** More than the server keeps at hand of what it has read. */
const fillers = 4;
const fillerBytes = 9_000_000;

const messages = 12;
const sentence = /^data on the disk is damaged and cannot be read: logs.*, bytes \d+ to \d+;/;
const damaged = [{ error: expect.stringMatching(sentence) }];

let server: TestServer;
let endpoint: RecordingEndpoint;
const ids: string[] = [];
const runs: string[] = [];

const post = async (path: string, headers: Record<string, string>, body: string) => {
  const answer = await callApi(server, 'POST', path, headers, body);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body as Record<string, string>;
};

const damage = (text: string) => flipByteOf(text, server.dataDirectory);

const letters = async () =>
  ((await callApi(server, 'GET', '/v2/dlq')).body as { messages: unknown[] }).messages.length;

/** All rows of a listing, page after page, and what each page says of damage. */
async function walk(path: string, name: string) {
  const rows: Record<string, unknown>[] = [];
  const notices: unknown[] = [];
  let cursor = '';
  do {
    const url = `${path}${path.includes('?') ? '&' : '?'}count=5${cursor}`;
    const { status, body } = await callApi(server, 'GET', url);
    expect([url, status]).toEqual([url, 200]);
    const page = body as Record<string, unknown>;
    rows.push(...(page[name] as Record<string, unknown>[]));
    if (page['damaged'] !== undefined) notices.push(page['damaged']);
    cursor = typeof page['cursor'] === 'string' ? `&cursor=${page['cursor']}` : '';
  } while (cursor !== '');
  return { rows, notices };
}

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start(({ url }) => ({ status: url === '/fails' ? 500 : 200 }));
  server = await startServer();
  for (let at = 0; at < messages; at += 1) {
    const headers = { 'svc-delay': '1h', 'svc-label': at % 2 === 0 ? 'even' : 'odd' };
    const path = '/v2/publish/http://127.0.0.1:19999/x';
    ids.push((await post(path, headers, `the body of message ${at}.`))['messageId'] ?? '');
  }
  for (let at = 0; at < 3; at += 1) {
    const path = '/v2/trigger/http://127.0.0.1:19999/run';
    const { workflowRunId = '' } = await post(path, { 'svc-delay': '1h' }, `payload ${at}.`);
    runs.push(workflowRunId);
  }
  for (let at = 0; at < 4; at += 1) {
    await post(`/v2/publish/${endpoint.url}/fails`, { 'svc-retries': '0' }, `letter ${at}.`);
    // Each in commits of its own, so that damage of one is not damage of the next.
    while ((await letters()) <= at) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (let at = 0; at < fillers; at += 1) {
    // What was delivered is not kept.
    const headers = { 'svc-delay': '9s' };
    await post(`/v2/publish/${endpoint.url}/filler`, headers, 'x'.repeat(fillerBytes));
  }
  await damage('the body of message 4.');
  await damage('payload 1.');
  await damage('letter 2.');
}, 60_000);

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const intact = () => ids.filter((_, at) => at !== 4);

it('the pending messages are listed without the damaged one, which is named', async () => {
  const { rows, notices } = await walk('/v2/messages?url=http://127.0.0.1:19999/x', 'messages');
  expect(rows.map(({ messageId }) => messageId)).toEqual(intact().reverse());
  // Pages are read ahead of what they show.
  for (const each of notices) expect(each).toEqual(damaged);
  expect(notices.length).toBeGreaterThan(0);
});

it.each(['latestFirst', 'earliestFirst'])('the logs are listed around it, %s', async (order) => {
  const path = `/v2/logs?order=${order}&url=http://127.0.0.1:19999/x`;
  const { rows, notices } = await walk(path, 'logs');
  const listed = intact();
  expect(rows.map(({ messageId }) => messageId)).toEqual(
    order === 'latestFirst' ? listed.reverse() : listed,
  );
  expect(notices.length).toBeGreaterThan(0);
});

it('logs without a filter go past all that is damaged', async () => {
  const { rows, notices } = await walk('/v2/logs?state=CREATED', 'logs');
  const shown = new Set(rows.map(({ messageId }) => messageId));
  for (const id of intact()) expect(shown).toContain(id);
  expect(shown).not.toContain(ids[4]);
  expect(notices.length).toBeGreaterThan(0);
});

interface CountsBody {
  readonly counts: readonly { readonly key: string; readonly count: number }[];
  readonly damaged?: readonly object[];
  readonly cursor?: string | null;
}

it('counts say what they are without', async () => {
  const counted = new Map<string, number>();
  let notices = 0;
  // A count looks for a second, and says where it has come to: a busy machine needs several.
  for (let next = ''; ; ) {
    const { status, body } = await callApi(server, 'GET', `/v2/logs/counts?by=label${next}`);
    expect(status).toBe(200);
    const { counts, damaged: without, cursor } = body as CountsBody;
    for (const { key, count } of counts) counted.set(key, (counted.get(key) ?? 0) + count);
    notices += without?.length ?? 0;
    if (cursor == null) break;
    next = `&cursor=${cursor}`;
  }
  expect([...counted].sort()).toEqual([
    ['even', messages / 2 - 1],
    ['odd', messages / 2],
  ]);
  expect(notices).toBeGreaterThan(0);
});

it('the dead letters are listed without the one whose message is damaged', async () => {
  const { rows, notices } = await walk('/v2/dlq', 'messages');
  const bodies = rows.map(({ body }) => body);
  expect(bodies).toEqual(['letter 3.', 'letter 1.', 'letter 0.']);
  expect(notices).toEqual([damaged]);
});

it('so are those that a filter means, which looks at their messages', async () => {
  const { rows, notices } = await walk(`/v2/dlq?url=${endpoint.url}/fails`, 'messages');
  expect(rows.map(({ body }) => body)).toEqual(['letter 3.', 'letter 1.', 'letter 0.']);
  expect(notices).toEqual([damaged]);
});

it('groups of dead letters are counted without it', async () => {
  const { status, body } = await callApi(server, 'GET', '/v2/dlq/groups');
  expect([status, body]).toMatchObject([200, { groups: [{ count: 3 }], others: 0, damaged }]);
});

it('runs are listed without the one that cannot be read', async () => {
  const { rows, notices } = await walk('/v2/workflows/logs', 'runs');
  expect(rows.map(({ workflowRunId }) => workflowRunId)).toEqual([runs[2], runs[0]]);
  expect(notices.length).toBeGreaterThan(0);
  const events = await walk('/v2/workflows/messageLogs', 'events');
  expect(new Set(events.rows.map(({ workflowRunId }) => workflowRunId))).toEqual(
    new Set([runs[2], runs[0]]),
  );
});

it('the journal is shown around it, and says so in its last line', async () => {
  const headers = { authorization: server.basic };
  const path = '/admin/journal?type=MessagePublished&count=1000';
  const { status, body } = await callApi(server, 'GET', path, headers);
  expect(status).toBe(200);
  const lines = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const shown = lines.map(({ id }) => id);
  for (const id of intact()) expect(shown).toContain(id);
  expect(shown).not.toContain(ids[4]);
  expect(lines.at(-1)).toEqual({
    damaged: expect.arrayContaining([...damaged]),
  });
});

it('the message itself is refused as what it is', async () => {
  const { status, body } = await callApi(server, 'GET', `/v2/messages/${ids[4]}`);
  expect([status, body]).toEqual([500, { error: expect.stringMatching(sentence) }]);
});
