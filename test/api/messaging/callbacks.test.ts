import { Client, Receiver } from '@upstash/qstash';
import { callApi } from '../../support/clients/api-call.js';
import { EvilEndpoint } from '../../support/clients/evil-endpoint.js';
import {
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

/** The body of a callback (messaging.md 4.5). */
interface Report {
  readonly status: number;
  readonly body: string;
  readonly retried: number;
  readonly dlqId?: string;
}

/** Publishes to `/work` of the endpoint; returns the id of the message. */
async function publish(headers: Record<string, string>, body = 'x'): Promise<string> {
  const path = `/v2/publish/${endpoint.url}/work`;
  const answer = await callApi(server, 'POST', path, headers, body);
  expect(answer.status).toBe(200);
  return (answer.body as { messageId: string }).messageId;
}

/** The first `count` requests to a path of the endpoint. */
async function arrived(path: string, count: number) {
  const found = () => endpoint.requests.filter(({ url }) => url === path);
  while (found().length < count) await endpoint.next();
  return found().slice(0, count);
}

async function reports(path: string, count: number): Promise<Report[]> {
  const requests = await arrived(path, count);
  const bodies = requests.map(({ body }) => JSON.parse(body.toString()) as Report);
  return bodies.sort((one, other) => one.retried - other.retried);
}

/** The row of the first message to `url`, once there is one. */
async function creationOf(url: string) {
  const path = `/v2/logs?state=CREATED&url=${encodeURIComponent(url)}`;
  for (;;) {
    const { body } = await callApi(server, 'GET', path);
    const [row] = (body as { logs: { messageId: string }[] }).logs;
    if (row !== undefined) return row;
  }
}

/** Requests to `/work` get these answers in turn, and all other paths 200. */
function workAnswers(...answers: readonly ScriptedAnswer[]): void {
  let count = 0;
  endpoint.answer(({ url }) =>
    url === '/work' ? (answers[Math.min(count++, answers.length - 1)] ?? {}) : {},
  );
}

/** Long enough for anything that would wrongly follow on this machine. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 100));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const milliseconds = expect.stringMatching(/^\d{13}$/);

describe('a callback', () => {
  it('comes after every attempt and reports all of it', async () => {
    workAnswers(
      { status: 503, body: 'not yet', headers: { 'X-Try': ['1', '2'] } },
      { status: 201, body: 'done' },
    );
    const messageId = await publish({
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
      'Svc-Method': 'PUT',
      'Content-Type': 'text/x-note',
      'Svc-Forward-x-tenant': 'acme',
      'Svc-Retries': '2',
      'Svc-Retry-Delay': '10',
      'Svc-Redact-Fields': 'body,headers',
    });
    const called = await reports('/called', 2);
    const common = {
      maxRetries: 2,
      sourceMessageId: messageId,
      url: `${endpoint.url}/work`,
      method: 'PUT',
      sourceHeader: { 'Content-Type': ['text/x-note'], 'X-Tenant': ['acme'] },
      sourceBody: base64('x'),
      notBefore: milliseconds,
      createdAt: milliseconds,
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
    };
    const header = expect.objectContaining({ Date: [expect.any(String)] });
    expect(called).toEqual([
      { ...common, status: 503, header, body: base64('not yet'), retried: 0 },
      { ...common, status: 201, header, body: base64('done'), retried: 1 },
    ]);
    expect(called[0]).toMatchObject({ header: { 'X-Try': ['1', '2'] } });
    await quiet();
    expect(endpoint.requests.map(({ url }) => url).sort()).toEqual([
      ...['/called', '/called', '/work', '/work'],
    ]);
  });

  it('is a signed message of its own, with its own options and headers', async () => {
    const messageId = await publish({
      'Upstash-Callback': `${endpoint.url}/called`,
      'Upstash-Callback-Method': 'PATCH',
      'Upstash-Callback-Forward-X-Kind': 'callback',
      'Upstash-Forward-X-Kind': 'source',
    });
    const [call] = await arrived('/called', 1);
    expect(call).toMatchObject({
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-kind': 'callback' },
    });
    expect(call?.headers['upstash-message-id']).toMatch(/^msg_/);
    expect(call?.headers['upstash-message-id']).not.toBe(messageId);
    const keys = (await callApi(server, 'GET', '/v2/keys')).body as Record<string, string>;
    const receiver = new Receiver({
      currentSigningKey: keys['current'] ?? '',
      nextSigningKey: keys['next'] ?? '',
    });
    const signature = String(call?.headers['upstash-signature']);
    const body = String(call?.body);
    const url = `${endpoint.url}/called`;
    await expect(receiver.verify({ signature, body, url })).resolves.toBe(true);
  });

  it('names the group and the endpoint of its source', async () => {
    const endpoints = [{ url: `${endpoint.url}/work`, name: 'worker' }];
    const group = JSON.stringify({ endpoints });
    await callApi(server, 'POST', '/v2/topics/workers/endpoints', {}, group);
    const headers = { 'Svc-Callback': `${endpoint.url}/called` };
    await callApi(server, 'POST', '/v2/publish/workers', headers, 'x');
    const [report] = await reports('/called', 1);
    expect(report).toMatchObject({ topicName: 'workers', endpointName: 'worker' });
  });

  it('reports a failed connection with status 0 and the reason', async () => {
    const closed = await RecordingEndpoint.start();
    const { url } = closed;
    await closed.stop();
    const headers = { 'Svc-Callback': `${endpoint.url}/called`, 'Svc-Retries': '0' };
    await callApi(server, 'POST', `/v2/publish/${url}`, headers, 'x');
    const [report] = await reports('/called', 1);
    expect(report).toMatchObject({ status: 0, header: {}, retried: 0 });
    expect(Buffer.from(report?.body ?? '', 'base64').toString()).toMatch(/refused/i);
  });

  it('reports an invalid HTTP status with status 0 and a text of our own', async () => {
    const evil = await EvilEndpoint.start('status 099');
    const headers = { 'Svc-Callback': `${endpoint.url}/called`, 'Svc-Retries': '0' };
    await callApi(server, 'POST', `/v2/publish/${evil.url}`, headers, 'x');
    const [report] = await reports('/called', 1);
    await evil.stop();
    expect(report).toMatchObject({ status: 0, header: {}, retried: 0 });
    expect(Buffer.from(report?.body ?? '', 'base64').toString()).toBe(
      'the destination answered with status 099, which HTTP does not have',
    );
  });

  it('that fails is retried like its source, has no callback, becomes a dead letter', async () => {
    endpoint.answer(({ url }) => ({ status: url === '/work' ? 200 : 500 }));
    await publish({
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Callback-Retry-Delay': '10',
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
      'Svc-Retries': '1',
    });
    const calls = await arrived('/called', 2);
    const [id] = [...new Set(calls.map(({ headers }) => headers['svc-message-id']))];
    expect(calls.map(({ headers }) => headers['svc-retried'])).toEqual(['0', '1']);
    const letter = await deadLetterOf(String(id));
    expect(letter).toMatchObject({
      messageId: id,
      url: `${endpoint.url}/called`,
      responseStatus: 500,
    });
    await quiet();
    expect(endpoint.requests).toHaveLength(3);
  });

  it('comes after a restart, too, with the same report', async () => {
    workAnswers({ body: 'done' });
    const messageId = await publish({
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Callback-Delay': '2s',
    });
    await arrived('/work', 1);
    while ((await callApi(server, 'GET', `/v2/messages/${messageId}`)).status !== 404) {}
    const { dataDirectory } = server;
    await server.stop();
    server = await startServer({ dataDirectory });
    const [report] = await reports('/called', 1);
    expect(report).toMatchObject({
      sourceMessageId: messageId,
      status: 200,
      body: base64('done'),
      sourceBody: base64('x'),
    });
  });

  it('never shows what its source hides, but delivers it', async () => {
    workAnswers({ body: 'done' });
    const target = `${endpoint.url}/hidden`;
    await publish({
      'Svc-Redact-Fields': 'body,header[X-Secret]',
      'Svc-Callback': target,
      'Svc-Callback-Delay': '2s',
      'Svc-Callback-Forward-X-Secret': 'hush',
      'Svc-Callback-Forward-X-Open': 'said',
    });
    await arrived('/work', 1);
    const hidden = expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/);
    const shown = { header: { 'X-Secret': [hidden], 'X-Open': ['said'] }, body: hidden };
    const created = await creationOf(target);
    expect(created).toMatchObject(shown);
    const path = `/v2/messages/${created.messageId}`;
    expect((await callApi(server, 'GET', path)).body).toMatchObject(shown);
    const [call] = await arrived('/hidden', 1);
    expect(call?.headers).toMatchObject({ 'x-secret': 'hush', 'x-open': 'said' });
  });

  it('is not sent for a canceled message', async () => {
    const messageId = await publish({
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
      'Svc-Delay': '1h',
    });
    await callApi(server, 'DELETE', `/v2/messages/${messageId}`);
    await quiet();
    expect(endpoint.requests).toEqual([]);
  });

  it('goes only to allowed destinations', async () => {
    for (const option of ['Svc-Callback', 'Svc-Failure-Callback']) {
      const headers = { [option]: 'http://169.254.169.254/latest' };
      const path = `/v2/publish/${endpoint.url}`;
      const { status, body } = await callApi(server, 'POST', path, headers, 'x');
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.stringContaining(`${option} must not reach`) });
    }
  });
});

describe('a failure callback', () => {
  it('comes once, when the retries are exhausted, and names the dead letter', async () => {
    workAnswers({ status: 500, body: 'no' });
    const messageId = await publish({
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
      'Svc-Failure-Callback-Forward-X-Kind': 'failure',
      'Svc-Retries': '2',
      'Svc-Retry-Delay': '10',
    });
    const [failure] = await reports('/failed', 1);
    expect(failure).toMatchObject({
      status: 500,
      body: base64('no'),
      retried: 2,
      maxRetries: 2,
      sourceMessageId: messageId,
      dlqId: expect.stringMatching(/^\d{13}-\d+s00$/),
    });
    const [call] = await arrived('/failed', 1);
    expect(call?.headers['x-kind']).toBe('failure');
    const letter = await callApi(server, 'GET', `/v2/dlq/${failure?.dlqId}`);
    expect(letter).toMatchObject({ status: 200, body: { messageId, dlqId: failure?.dlqId } });
    const called = await reports('/called', 3);
    expect(called.map(({ retried }) => retried)).toEqual([0, 1, 2]);
    expect(called[2]).not.toHaveProperty('dlqId');
    await quiet();
    expect(endpoint.requests.filter(({ url }) => url === '/failed')).toHaveLength(1);
  });

  it('comes at once if the destination forbids retries', async () => {
    workAnswers({ status: 489, headers: { 'Svc-NonRetryable-Error': 'true' } });
    await publish({ 'Svc-Failure-Callback': `${endpoint.url}/failed`, 'Svc-Retries': '5' });
    const [failure] = await reports('/failed', 1);
    expect(failure).toMatchObject({ status: 489, retried: 0, maxRetries: 5 });
    expect(endpoint.requests.filter(({ url }) => url === '/work')).toHaveLength(1);
  });

  it('does not come for a message that is finally delivered', async () => {
    workAnswers({ status: 500 }, { status: 200 });
    await publish({
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
      'Svc-Retry-Delay': '10',
    });
    await arrived('/work', 2);
    await quiet();
    expect(endpoint.requests).toHaveLength(2);
  });
});

describe('the published client', () => {
  it('names callbacks as options and their headers in full', async () => {
    workAnswers({ status: 500 });
    const client = new Client({ baseUrl: server.url, token: server.token });
    const { messageId } = await client.publishJSON({
      url: `${endpoint.url}/work`,
      body: { a: 1 },
      retries: 0,
      callback: `${endpoint.url}/called`,
      failureCallback: `${endpoint.url}/failed`,
      headers: {
        'Upstash-Callback-Forward-X-Kind': 'callback',
        'Upstash-Failure-Callback-Forward-X-Kind': 'failure',
      },
    });
    const [callback] = await arrived('/called', 1);
    const [failure] = await arrived('/failed', 1);
    expect(callback?.headers['x-kind']).toBe('callback');
    expect(failure?.headers['x-kind']).toBe('failure');
    expect(JSON.parse(String(failure?.body))).toMatchObject({
      sourceMessageId: messageId,
      sourceBody: base64('{"a":1}'),
    });
  });
});

/** The dead letter that a message became, as soon as it is listed. */
async function deadLetterOf(messageId: string): Promise<unknown> {
  for (;;) {
    const { body } = await callApi(server, 'GET', `/v2/dlq?messageId=${messageId}`);
    const [letter] = (body as { messages: unknown[] }).messages;
    if (letter !== undefined) return letter;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
