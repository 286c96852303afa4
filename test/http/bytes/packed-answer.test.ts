import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { packedBytesMin } from '../../../src/http/bytes/packed-answer.js';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

const messages = 60;
let server: TestServer;
let id: string;

const publish = async (body: string): Promise<string> => {
  const headers = { 'svc-delay': '1h' };
  const answer = await callApi(
    server,
    'POST',
    '/v2/publish/http://127.0.0.1:9000/x',
    headers,
    body,
  );
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return (answer.body as { messageId: string }).messageId;
};

beforeAll(async () => {
  // A server that pages of another origin may read, so its answers vary by that, too.
  server = await startServer({ environment: { STEPWELL_CORS_ORIGINS: 'https://ops.example' } });
  id = await publish('long '.repeat(4000));
  for (let at = 1; at < messages; at += 1) await publish(`body ${at}`);
});

afterAll(() => server.remove());

interface Answered {
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** The raw bytes: `fetch` would decompress the answer and hide that it was compressed. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
  const asked = { authorization: server.bearer, ...headers };
  const request = httpRequest(`${server.url}${path}`, { headers: asked }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return { headers: response.headers, bytes: await buffer(response) };
}

const gzipped = { 'accept-encoding': 'gzip, deflate, br' };

describe.each([
  ['the pending messages', () => '/v2/messages'],
  ['the logs', () => '/v2/logs'],
  ['a message with a long body', () => `/v2/messages/${id}`],
])('%s', (_, path) => {
  it('is sent as gzip with its length to a client that accepts it, unchanged', async () => {
    const plain = await get(path());
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThanOrEqual(packedBytesMin);
    const { headers, bytes } = await get(path(), gzipped);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Origin, accept-encoding' });
    expect(headers['content-type']).toBe(plain.headers['content-type']);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(JSON.parse(String(gunzipSync(bytes)))).toEqual(JSON.parse(String(plain.bytes)));
    expect(plain.headers.vary).toBe('Origin, accept-encoding');
  });

  it.each(['identity', 'gzip;q=0', 'br'])('is sent uncompressed for %s', async (accepted) => {
    const { headers, bytes } = await get(path(), { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(bytes))).toEqual(expect.any(Object));
  });
});

it('a small answer is sent uncompressed', async () => {
  const { headers, bytes } = await get('/v2/messages?count=1', gzipped);
  expect(bytes.length).toBeLessThan(packedBytesMin);
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin']);
});

it('many simultaneous requests get the same answer, compressed or not', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => get('/v2/messages', gzipped)));
  const texts = answers.map(({ headers, bytes }) =>
    String(headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes),
  );
  const ids = texts.map((text) =>
    (JSON.parse(text) as { messages: { messageId: string }[] }).messages.map(
      ({ messageId }) => messageId,
    ),
  );
  expect(ids[0]).toHaveLength(messages);
  expect(new Set(ids.map(String)).size).toBe(1);
});
