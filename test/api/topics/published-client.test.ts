import { Client, Receiver } from '@upstash/qstash';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let endpoint: RecordingEndpoint;
let client: Client;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

const keys = async () => {
  const response = await fetch(`${server.url}/v2/keys`, {
    headers: { authorization: server.bearer },
  });
  return (await response.json()) as { current: string; next: string };
};

describe('the published client', () => {
  it('publishes bytes that arrive untouched, signed and with the forwarded headers', async () => {
    const { messageId } = await client.publish({
      url: `${endpoint.url}/hook?a=1&b=//2`,
      body: 'plain text',
      headers: { 'X-Tenant': 'acme', 'Content-Type': 'text/x-note' },
    });
    const [call] = await endpoint.received(1);
    expect(call).toMatchObject({ method: 'POST', url: '/hook?a=1&b=//2' });
    expect(call?.body.toString()).toBe('plain text');
    expect(call?.headers).toMatchObject({
      'upstash-message-id': messageId,
      'upstash-retried': '0',
      'x-tenant': 'acme',
      'content-type': 'text/x-note',
      'user-agent': 'Upstash-QStash',
    });
    const { current, next } = await keys();
    const receiver = new Receiver({ currentSigningKey: current, nextSigningKey: next });
    await expect(
      receiver.verify({
        signature: String(call?.headers['upstash-signature']),
        body: 'plain text',
        url: `${endpoint.url}/hook?a=1&b=//2`,
      }),
    ).resolves.toBe(true);
  });

  it('publishes JSON with a method, a delay and retries', async () => {
    const startedAt = Date.now();
    endpoint.answerInTurn({ status: 500 }, { status: 503 }, { status: 200 });
    await client.publishJSON({
      url: endpoint.url,
      method: 'PUT',
      body: { hello: 'world' },
      delay: 1,
      retries: 3,
      retryDelay: '50',
    });
    const calls = await endpoint.received(3);
    expect(calls.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2']);
    expect(calls[0]?.method).toBe('PUT');
    expect(JSON.parse(String(calls[2]?.body))).toEqual({ hello: 'world' });
    expect(calls[0]?.headers['content-type']).toBe('application/json');
    // Never early: only the lower bound is promised and tested.
    expect((calls[0]?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(1000);
  });

  it('reads a message back and cancels it, once', async () => {
    const { messageId } = await client.publish({
      url: endpoint.url,
      body: '{"later":true}',
      delay: '1h',
      headers: { 'X-Tenant': 'acme', 'Content-Type': 'application/json' },
      label: 'blue',
      flowControl: { key: 'k', rate: 23, period: 5403 },
      retryDelay: '15000',
    });
    const message = await client.messages.get(messageId);
    expect(message).toMatchObject({
      messageId,
      url: endpoint.url,
      method: 'POST',
      body: '{"later":true}',
      maxRetries: 3,
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      label: 'blue',
      flowControlKey: 'k',
      rate: 23,
      period: 5403,
      retryDelayExpression: '15000',
    });
    expect(message.header).toEqual({
      'Content-Type': ['application/json'],
      'X-Tenant': ['acme'],
    });
    expect((message.notBefore ?? 0) - message.createdAt).toBe(3_600_000);
    await client.messages.cancel(messageId);
    await expect(client.messages.get(messageId)).rejects.toThrow('not found');
    expect(endpoint.requests).toEqual([]);
  });

  it('gets the first message when it publishes a duplicate', async () => {
    const publish = () =>
      client.publish({ url: endpoint.url, body: 'x', deduplicationId: 'once', delay: 60 });
    const first = await publish();
    const second = await publish();
    expect(second).toMatchObject({ messageId: first.messageId, deduplicated: true });
    expect(first).not.toHaveProperty('deduplicated');
  });

  it('verifies deliveries before and after the keys are rotated', async () => {
    const before = await keys();
    const receiver = new Receiver({
      currentSigningKey: before.current,
      nextSigningKey: before.next,
    });
    const deliver = async (body: string, count: number) => {
      await client.publish({ url: endpoint.url, body });
      const call = (await endpoint.received(count)).at(-1);
      const signature = String(call?.headers['upstash-signature']);
      return receiver.verify({ signature, body });
    };
    await expect(deliver('one', 1)).resolves.toBe(true);
    const response = await fetch(`${server.url}/v2/keys/rotate`, {
      method: 'POST',
      headers: { authorization: server.bearer },
    });
    const rotated = (await response.json()) as { current: string; next: string };
    expect(rotated.current).toBe(before.next);
    expect(await keys()).toEqual(rotated);
    await expect(deliver('two', 2)).resolves.toBe(true);
  });

  it('gets the reason why a publish is refused as a sentence', async () => {
    const refused = client.publish({ url: endpoint.url, retryDelay: 'process.exit(1)' });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Upstash-Retry-Delay'),
    });
    await expect(client.publish({ url: endpoint.url, retries: 1_000_000 })).rejects.toMatchObject({
      status: 412,
    });
  });
});
