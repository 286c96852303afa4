import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
let other: RecordingEndpoint;
let origin = '';

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  other = await RecordingEndpoint.start();
  origin = new URL(endpoint.url).origin;
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
  await other.stop();
});

const set = (word: 'pause' | 'resume', body: unknown = { origin }) =>
  callLog(server, `/admin/origins/${word}`, body);

async function publish(url: string, headers = {}): Promise<string> {
  const { status, body } = await callApi(server, 'POST', `/v2/publish/${url}`, headers, 'x');
  expect(status).toBe(200);
  return (body as { messageId: string }).messageId;
}

const why = async (id: string) =>
  (await callApi(server, 'GET', `/v2/messages/${id}/why`)).body as { reason: string };

async function waits(id: string): Promise<unknown> {
  for (;;) {
    const answer = await why(id);
    if (answer.reason === 'origin_paused') return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a paused origin', () => {
  it('is called once it is resumed, and other origins are called meanwhile', async () => {
    const before = Date.now();
    const { status, body } = await set('pause');
    expect([status, body]).toEqual([200, { origin, pausedAt: expect.any(Number) }]);
    expect((body as { pausedAt: number }).pausedAt).toBeGreaterThanOrEqual(before);
    expect((await set('pause')).body).toEqual(body);

    const ids = [await publish(endpoint.url), await publish(endpoint.url)];
    expect(await waits(ids[0] ?? '')).toEqual({
      messageId: ids[0],
      reason: 'origin_paused',
      sentence: `Origin ${origin} is paused.`,
      remedy: `POST /admin/origins/resume with {"origin":"${origin}"}`,
    });
    expect(await waits(ids[1] ?? '')).toMatchObject({
      sentence: `Origin ${origin} is paused; 1 attempt is ahead.`,
    });
    await publish(other.url);
    await other.received(1);
    expect(endpoint.requests).toEqual([]);

    expect(await set('resume')).toMatchObject({ status: 200, body: { origin, pausedAt: null } });
    await endpoint.received(2);
  });

  it('is listed even if it was never called, and its attempts count as waiting', async () => {
    const name = 'https://never.example';
    await set('pause', { origin: `${name}:443/` });
    const id = await publish(`${name}/x`);
    await waits(id);
    const { body } = await callLog(server, '/admin/origins');
    const listed = (body as { origin: string }[]).find((each) => each.origin === name);
    expect(listed).toEqual({
      origin: name,
      inFlight: 0,
      limit: expect.any(Number),
      succeeded: 0,
      failed: 0,
      lastAt: null,
      lastFailure: null,
      refused: null,
      pausedAt: expect.any(Number),
    });
    expect((await callLog(server, '/admin/overview')).body).toMatchObject({
      backlog: { waiting: { pausedOrigin: 1 } },
    });
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    await set('resume', { origin: name });
  });

  it('is paused after a restart, too', async () => {
    await set('pause');
    const id = await publish(endpoint.url);
    await waits(id);
    const sent = endpoint.requests.length;
    await server.stop();
    server = await startServer({ dataDirectory: server.dataDirectory });
    await waits(id);
    expect(endpoint.requests).toHaveLength(sent);
    await set('resume');
    await endpoint.received(sent + 1);
  });

  it('holds back the retries of failed messages', async () => {
    endpoint.answerInTurn({ status: 500 }, { status: 200 });
    const sent = endpoint.requests.length;
    const headers = { 'svc-retries': '1', 'svc-retry-delay': '1' };
    endpoint.answer(async () => {
      // Paused while the attempt is in flight, which continues.
      await set('pause');
      return { status: 500 };
    });
    const id = await publish(endpoint.url, headers);
    await waits(id);
    expect(endpoint.requests).toHaveLength(sent + 1);
    endpoint.answer(() => ({ status: 200 }));
    await set('resume');
    await endpoint.received(sent + 2);
  });
});

describe('a request to pause', () => {
  it.each([
    ['example.com'],
    ['ftp://example.com'],
    ['https://example.com/path'],
    ['https://user@example.com'],
    ['https://example.com?x=1'],
    [''],
    [`https://${'x'.repeat(400)}.example`],
  ])('is refused with the origin %j', async (given) => {
    const answer = await set('pause', { origin: given });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'origin must be scheme, host and port, like https://example.com' },
    });
  });

  it.each([{}, { origin: 1 }, { origin: 'https://a.example', for: '1h' }])(
    'is refused with the body %j',
    async (body) => {
      expect((await set('pause', body)).status).toBe(400);
    },
  );

  it('must precede a resume, which is answered 404 otherwise', async () => {
    expect(await set('resume', { origin: 'https://free.example' })).toMatchObject({
      status: 404,
      body: { error: 'paused origin https://free.example not found' },
    });
  });
});
