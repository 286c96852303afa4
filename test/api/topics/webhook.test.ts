import { callLog, createCredential, type LogCall } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
/** The configured pair as the sender of a webhook writes it. */
let pair: string;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_REST_PASSWORD: 'p=a-s+s', STEPWELL_MAX_BODY: '1kb' },
  });
  const { restUsername, restPassword } = server.credentials;
  pair = `user=${restUsername}&pass=${encodeURIComponent(restPassword)}`;
});

afterAll(() => server.remove());

/** Sends a webhook as its senders do: without an Authorization header. */
async function send(path: string, body?: string | Buffer, options: LogCall = {}) {
  const { method = 'POST', headers = {} } = options;
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function stored(topic: string, partition: number, options?: LogCall) {
  const place = { topic, partition, offset: 0, timeout: 0 };
  return (await callLog(server, '/fetch', place, options)).body;
}

describe('a webhook', () => {
  it('is one record with its body unchanged and its headers, answered as an array', async () => {
    const { status, headers, body } = await send(
      `/webhook?topic=hooks&${pair}&partition=1`,
      '{ "a" : 1 }',
      { headers: { 'X-Kind': 'demo', 'content-type': 'application/json', 'x-request-id': '1' } },
    );
    expect(status).toBe(200);
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(body).toEqual([
      { topic: 'hooks', partition: 1, offset: 0, timestamp: expect.any(Number) },
    ]);
    expect(await stored('hooks', 1)).toMatchObject([
      { key: '', value: '{ "a" : 1 }', headers: [{ key: 'x-kind', value: 'demo' }] },
    ]);
  });

  it('keeps bytes that are not text', async () => {
    const bytes = Buffer.from([0, 0xff, 0x80]);
    await send(`/webhook?topic=bytes&partition=0&${pair}`, bytes);
    const asBase64 = { headers: { 'stream-encoding': 'base64' } };
    expect(await stored('bytes', 0, asBase64)).toMatchObject([{ value: bytes.toString('base64') }]);
  });

  it('by GET has an empty value; a key chooses the partition', async () => {
    await send(`/webhook/?topic=got&key=k0&${pair}`, undefined, { method: 'GET' });
    expect(await stored('got', 2)).toMatchObject([{ key: 'k0', value: '' }]);
  });

  it('also accepts credentials in its header, which take precedence', async () => {
    const authorization = server.basic;
    const asOwner = { headers: { authorization } };
    expect((await send('/webhook?topic=auth', 'v', asOwner)).status).toBe(200);
    const wrong = { headers: { authorization: 'Basic eDp5' } };
    const refused = await send(`/webhook?topic=auth&${pair}`, 'v', wrong);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Basic');
  });

  it('needs the right to produce, with created credentials too', async () => {
    const basic = await createCredential(server, 'sender', 'PRODUCE', 'hooks');
    const [user, pass] = Buffer.from(basic.slice(6), 'base64').toString().split(':');
    const query = `user=${user}&pass=${pass}`;
    expect((await send(`/webhook?topic=hooks&${query}`, 'v')).status).toBe(200);
    expect(await send(`/webhook?topic=other&${query}`, 'v')).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('produce topic other'), status: 403 },
    });
    // In the query, credentials give access to no other route.
    expect((await send(`/topics?${query}`, undefined, { method: 'GET' })).status).toBe(401);
  });

  it('that is repeated with its idempotency key is stored once', async () => {
    const once = { headers: { 'idempotency-key': 'evt_1' } };
    const first = await send(`/webhook?topic=once&${pair}`, 'v', once);
    expect((await send(`/webhook?topic=once&${pair}`, 'v', once)).body).toEqual(first.body);
    expect((await send(`/webhook?topic=once&${pair}`, 'w', once)).status).toBe(409);
  });

  it.each([
    ['/webhook', 400],
    ['/webhook?topic=', 400],
    ['/webhook?topic=a&topic=b', 400],
    ['/webhook?topic=t&partition=9', 400],
    ['/webhook?topic=t&partition=x', 400],
    ['/webhook?topic=t&key=a&key=b', 400],
    ['/webhook?topic=no/topic', 400],
  ])('to %s is refused with %i', async (path, status) => {
    const refused = await callLog(server, path, 'v');
    expect(refused).toMatchObject({ status, body: { error: expect.any(String), status } });
  });

  it('that is too large is refused', async () => {
    expect(await send(`/webhook?topic=t&${pair}`, 'x'.repeat(1025))).toMatchObject({
      status: 413,
      body: { status: 413 },
    });
    const tooMuch = { headers: { 'x-more': 'y'.repeat(100) } };
    expect((await send(`/webhook?topic=t&${pair}`, 'x'.repeat(1000), tooMuch)).status).toBe(413);
  });

  it('without credentials, or by another method, is refused like any other request', async () => {
    expect((await send('/webhook?topic=t', 'v')).status).toBe(401);
    const put = await send(`/webhook?topic=t&${pair}`, 'v', { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});
