import { Client } from '@upstash/qstash';
import { Engine } from '../../../src/engine/engine.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_MAX_BODY: '64kb', STEPWELL_MAX_BATCH: '256kb' },
  });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

const send = (items: unknown, headers: Record<string, string> = {}) =>
  callApi(server, 'POST', '/v2/batch', headers, JSON.stringify(items));
const later = { 'svc-delay': '1h' };
const messageCount = () => server.application.nest.get(Engine).actors('message').size;
const messageId = expect.stringMatching(/^msg_\w+$/);
const stepOf = (runId: string) => ({
  destination: endpoint.url,
  headers: { 'svc-workflow-init': 'false', 'svc-workflow-runid': runId },
  body: '{"stepId":1,"stepName":"one","stepType":"Run","concurrent":1}',
});

async function makeGroup(name: string, ...paths: readonly string[]): Promise<void> {
  const endpoints = paths.map((path) => ({ url: `${endpoint.url}${path}` }));
  const path = `/v2/topics/${name}/endpoints`;
  const { status } = await callApi(server, 'POST', path, {}, JSON.stringify({ endpoints }));
  expect(status).toBe(200);
}

describe('a batch', () => {
  it('is answered with a list, one entry for each item in its place', async () => {
    await makeGroup('pair', '/one', '/two');
    const { status, headers, body } = await send([
      { destination: endpoint.url, headers: later },
      { destination: 'pair', headers: later },
      { destination: 'absent' },
      { destination: endpoint.url, headers: later, queue: 'line' },
      // Once a year, because a message that it publishes would be counted by later tests.
      { destination: endpoint.url, headers: { 'svc-cron': '0 0 1 1 *' } },
    ]);
    expect(status).toBe(200);
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(body).toEqual([
      { messageId, url: endpoint.url },
      [
        { messageId, url: `${endpoint.url}/one` },
        { messageId, url: `${endpoint.url}/two` },
      ],
      { error: 'item 2: URL group absent not found' },
      { messageId, url: endpoint.url },
      { scheduleId: expect.stringMatching(/^scd_\w+$/) },
    ]);
    const queue = await callApi(server, 'GET', '/v2/queues/line');
    expect(queue).toMatchObject({ status: 200, body: { name: 'line', parallelism: 1 } });
  });

  it('of one item is answered with a list, too, even if the item is refused', async () => {
    expect((await send([{ destination: endpoint.url, headers: later }])).body).toEqual([
      { messageId, url: endpoint.url },
    ]);
    expect(await send([{}])).toMatchObject({
      status: 200,
      body: [{ error: 'item 0: destination must be a string' }],
    });
  });

  it('delivers each item as if it were published alone', async () => {
    await send([
      {
        destination: `${endpoint.url}/a?x=1&svc-forward-x-b=2`,
        headers: { 'Upstash-Method': 'PUT', 'upstash-forward-X-Tenant': 'acme' },
        body: 'Grüße 🎈',
      },
      { destination: `${endpoint.url}/b`, headers: { 'content-type': 'text/x-note' }, body: null },
    ]);
    const requests = await endpoint.received(2);
    const one = requests.find(({ url }) => url.startsWith('/a'));
    const other = requests.find(({ url }) => url === '/b');
    expect(one).toMatchObject({ method: 'PUT', url: '/a?x=1' });
    expect(one?.body.toString()).toBe('Grüße 🎈');
    expect(one?.headers).toMatchObject({ 'x-tenant': 'acme', 'x-b': '2' });
    expect(one?.headers).toHaveProperty('upstash-signature');
    expect(other?.headers['content-type']).toBe('text/x-note');
    expect(other?.headers).toHaveProperty('svc-signature');
    expect(other?.body).toHaveLength(0);
  });

  it('uses the dialect of the request for items without one', async () => {
    await send([{ destination: endpoint.url }], { 'Upstash-Telemetry-Sdk': 'x' });
    const [request] = await endpoint.received(1);
    expect(request?.headers).toHaveProperty('upstash-message-id');
    expect(request?.headers).not.toHaveProperty('upstash-telemetry-sdk');
  });

  it('forwards the headers of an item on demand, and not those of the request', async () => {
    const headers = { 'svc-header-forward': 'true', 'X-Mine': '1' };
    await send([{ destination: endpoint.url, headers }], { 'X-Other': '2' });
    const [request] = await endpoint.received(1);
    expect(request?.headers).toMatchObject({ 'x-mine': '1' });
    expect(request?.headers).not.toHaveProperty('x-other');
  });

  it('may be larger than a turn, and gives each message its own id', async () => {
    const items = Array.from({ length: 700 }, () => ({
      destination: endpoint.url,
      headers: later,
    }));
    const { body } = await send(items);
    const ids = (body as { messageId: string }[]).map((each) => each.messageId);
    expect(new Set(ids).size).toBe(700);
    const last = await callApi(server, 'GET', `/v2/messages/${ids[699]}`);
    expect(last).toMatchObject({ status: 200, body: { messageId: ids[699], url: endpoint.url } });
  });

  it('with a step of a run may be larger than a turn, too', async () => {
    const message = { destination: endpoint.url, headers: later };
    const start = { 'svc-workflow-init': 'true', 'svc-workflow-runid': 'wfr_large', ...later };
    await send([{ destination: endpoint.url, headers: start, body: 'payload' }]);
    const many = Array.from({ length: 200 }, () => message);
    const { status, body } = await send([...many, stepOf('wfr_large'), ...many]);
    const ids = (body as { messageId: string }[]).map((each) => each.messageId);
    expect(status).toBe(200);
    expect(new Set(ids).size).toBe(401);
    const entries = (await callApi(server, 'GET', '/v2/workflows/runs/wfr_large')).body;
    expect(entries).toMatchObject([{}, { messageId: ids[200] }]);
  });

  it('answers a repeated item with the first one', async () => {
    const item = { destination: endpoint.url, headers: { ...later, 'svc-deduplication-id': 'b' } };
    const [first, second] = (await send([item, item])).body as { messageId: string }[];
    expect(second).toEqual({
      messageId: first?.messageId,
      url: endpoint.url,
      deduplicated: true,
    });
  });
});

describe('a refused item', () => {
  it.each([
    [{}, 'destination must be a string'],
    [{ destination: 7 }, 'destination must be a string'],
    [{ destination: '' }, 'the destination is missing'],
    [{ destination: 'ftp://example.com' }, 'http:// or https://'],
    [{ destination: 'a/b' }, 'neither a URL nor'],
    [{ destination: 'http://169.254.169.254/' }, 'metadata'],
    [{ destination: 'unknown' }, 'URL group unknown not found'],
    [{ headers: [] }, 'headers must be an object'],
    [{ headers: { 'svc-retries': 1 } }, 'the header svc-retries must be a string'],
    [{ headers: { 'svc-retries': 'x' } }, 'Svc-Retries'],
    [{ headers: { 'upstash-delay': 'x' } }, 'Upstash-Delay'],
    [{ headers: { 'svc-method': 'BREW' } }, 'Svc-Method'],
    [{ headers: { 'svc-not-before': 'x' } }, 'Svc-Not-Before'],
    [{ headers: { 'svc-timeout': 'x' } }, 'Svc-Timeout'],
    [{ headers: { 'svc-retry-delay': 'x' } }, 'Svc-Retry-Delay'],
    [{ headers: { 'svc-retry-delay': 'min(1 2)' } }, 'Svc-Retry-Delay'],
    [{ headers: { 'svc-retry-delay': '1000,' } }, 'Svc-Retry-Delay'],
    [{ headers: { 'svc-label': 'a b' } }, 'Svc-Label'],
    [{ headers: { 'svc-redact-fields': 'x' } }, 'Svc-Redact-Fields'],
    [{ headers: { 'svc-flow-control-key': 'k' } }, 'Svc-Flow-Control-Value'],
    [{ headers: { 'svc-queue-name': 'a/b' } }, 'Svc-Queue-Name'],
    [{ headers: { 'svc-deduplication-id': '' } }, 'Svc-Deduplication-Id'],
    [{ headers: { 'svc-content-based-deduplication': 'x' } }, 'Svc-Content-Based-Deduplication'],
    [{ headers: { 'svc-header-forward': 'x' } }, 'Svc-Header-Forward'],
    [{ headers: { 'svc-forward-x': 'a\nb' } }, 'Svc-Forward-X'],
    [{ headers: { 'svc-forward-a b': 'x' } }, 'Svc-Forward'],
    [{ headers: { 'svc-callback': 'x' } }, 'Svc-Callback'],
    [{ headers: { 'svc-callback': 'http://169.254.169.254/' } }, 'Svc-Callback'],
    [{ headers: { 'svc-failure-callback': 'x' } }, 'Svc-Failure-Callback'],
    [{ headers: { 'svc-cron': 'x' } }, 'cron'],
    [{ headers: { 'svc-cron': '* * * * *', 'svc-not-before': '1' } }, 'Svc-Not-Before'],
    [{ headers: { 'svc-workflow-url': 'https://a.example' } }, 'Svc-Workflow-Url'],
    [{ headers: { 'content-type': 'a\nb' } }, 'Content-Type'],
    [{ body: { a: 1 } }, 'body must be a string'],
    [{ body: '\ud83c' }, 'body contains an unpaired surrogate'],
    [{ body: 'x'.repeat(65_537) }, 'body is longer than 65536 bytes'],
    [{ queue: 5 }, 'queue must be a string'],
    [{ queue: 'a b' }, 'queue must have'],
  ])('%j is answered with the reason, and its neighbours are accepted', async (changes, reason) => {
    const good = { destination: endpoint.url, headers: later };
    const bad = 'destination' in changes || Object.keys(changes).length === 0 ? {} : good;
    const before = messageCount();
    const { status, body } = await send([good, { ...bad, ...changes }, good]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { messageId, url: endpoint.url },
      { error: expect.stringContaining(reason) },
      { messageId, url: endpoint.url },
    ]);
    expect(messageCount()).toBe(before + 2);
  });
});

describe('a whole batch is refused and stores nothing', () => {
  const refusal = async (body: string, headers: Record<string, string> = {}) => {
    const before = messageCount();
    const answer = await callApi(server, 'POST', '/v2/batch', headers, body);
    expect(messageCount()).toBe(before);
    expect(answer.body).toEqual({ error: expect.any(String) });
    return { status: answer.status, error: (answer.body as { error: string }).error };
  };

  it.each([
    ['', 'the body is empty'],
    ['[', 'not valid JSON'],
    ['{"destination":"https://example.com"}', 'not an array'],
    ['[]', 'the batch is empty'],
    ['"x"', 'not an array'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'nested deeper'],
  ])('if the body is %s', async (body, error) => {
    const answer = await refusal(body);
    expect(answer.status).toBe(400);
    expect(answer.error).toContain(error);
  });

  it.each([
    [{ 'svc-retries': '1000000' }, 'Svc-Retries'],
    [{ 'svc-delay': '2y' }, 'Svc-Delay'],
    [{ 'svc-not-before': '99999999999' }, 'Svc-Not-Before'],
    [{ 'svc-callback': 'https://example.com', 'svc-callback-retries': '1001' }, 'Callback-Retries'],
  ])('if an item asks for more than is granted: %j', async (headers, named) => {
    const good = { destination: endpoint.url, headers: later };
    const { status, error } = await refusal(JSON.stringify([good, { ...good, headers }]));
    expect(status).toBe(412);
    expect(error).toContain(named);
  });

  it('if it makes too many messages, one by one or by groups', async () => {
    const { status, error } = await refusal(`[${'1,'.repeat(16_384)}1]`);
    expect(status).toBe(412);
    expect(error).toContain('at most 16384 messages');
    await makeGroup('many', ...Array.from({ length: 100 }, (_, index) => `/${index}`));
    const items = Array(164).fill({ destination: 'many', headers: later });
    expect((await refusal(JSON.stringify(items))).status).toBe(412);
  });

  it('if a run refuses an item, in whichever turn that is decided', async () => {
    const many = Array.from({ length: 300 }, () => ({
      destination: endpoint.url,
      headers: later,
    }));
    for (const items of [
      [stepOf('wfr_over'), ...many],
      [...many, stepOf('wfr_over')],
    ]) {
      const { status, error } = await refusal(JSON.stringify(items));
      expect(status).toBe(400);
      expect(error).toContain('workflow run wfr_over is not active');
    }
  });

  it('if it is larger than the limit for batches', async () => {
    const text = JSON.stringify([{ destination: endpoint.url, body: 'x'.repeat(260 * 1024) }]);
    expect((await refusal(text)).status).toBe(413);
  });

  it('if the token may only read, or there is none', async () => {
    const body = JSON.stringify([{ destination: endpoint.url }]);
    expect((await refusal(body, { authorization: `Bearer ${server.readToken}` })).status).toBe(403);
    expect((await refusal(body, { authorization: 'Bearer x' })).status).toBe(401);
  });
});

test('a batch is read by POST only', async () => {
  const answer = await callApi(server, 'GET', '/v2/batch');
  expect(answer).toMatchObject({ status: 405, body: { error: expect.any(String) } });
  expect(answer.headers.get('allow')).toBe('POST');
});

describe('the published client', () => {
  it('sends batches of URLs, groups and queues, as text and as JSON', async () => {
    await makeGroup('both', '/one', '/two');
    const client = new Client({ baseUrl: server.url, token: server.token });
    const texts = await client.batch([
      { url: `${endpoint.url}/text`, body: 'plain', headers: { 'X-A': 'b' } },
      { urlGroup: 'both', body: 'to both' },
      { urlGroup: 'none', body: 'to nobody' },
    ]);
    expect(texts).toEqual([
      { messageId, url: `${endpoint.url}/text` },
      [
        { messageId, url: `${endpoint.url}/one` },
        { messageId, url: `${endpoint.url}/two` },
      ],
      { error: expect.stringContaining('none') },
    ]);
    const objects = await client.batchJSON([
      { queueName: 'json', url: `${endpoint.url}/json`, body: { hello: 'world' } },
    ]);
    expect(objects).toEqual([{ messageId, url: `${endpoint.url}/json` }]);
    const requests = await endpoint.received(4);
    const bodies = requests.map(({ url, body }) => [url, body.toString()]).sort();
    expect(bodies).toEqual([
      ['/json', '{"hello":"world"}'],
      ['/one', 'to both'],
      ['/text', 'plain'],
      ['/two', 'to both'],
    ]);
    const json = requests.find(({ url }) => url === '/json');
    expect(json?.headers['content-type']).toBe('application/json');
  });

  it('is refused a batch that asks for too many retries', async () => {
    const client = new Client({ baseUrl: server.url, token: server.token });
    const refused = client.batch([{ url: endpoint.url, retries: 1_000_000 }]);
    await expect(refused).rejects.toMatchObject({ status: 412 });
  });
});
