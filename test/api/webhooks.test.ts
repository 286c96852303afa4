import { callApi } from '../support/api-call.js';
import { bodyOf, rawRequest, statusOf } from '../support/raw-request.js';
import { startServer, type TestServer } from '../support/server.js';
import {
  askToWait,
  type Delivery,
  eventOf,
  lastStep,
  type RunScript,
  WaitingRuns,
} from '../support/waiting-runs.js';

let server: TestServer;
let runs: WaitingRuns;
/** What the endpoint does at each delivery; a test says. */
let script: RunScript;

const kilobyte = 1024;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MAX_BODY: '64kb' } });
});

afterAll(() => server.remove());

beforeEach(async () => {
  runs = await WaitingRuns.start((delivery) => script(delivery));
});

afterEach(() => runs.stop());

/** What a run is told of a call. */
interface Call {
  readonly method: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly proto: string;
  readonly host: string;
  readonly url: string;
}

const isFirst = ({ entries }: Delivery) => entries.length === 1;

const callOf = (delivery: Delivery | undefined): Call =>
  JSON.parse(eventOf(delivery === undefined ? {} : lastStep(delivery)).toString()) as Call;

const pathOf = (runId: string, eventId = 'evt_1', user = 'stepwell') =>
  `/v2/workflows/hooks/${user}/${runId}/${eventId}`;

/** Calls as a third party does: without credentials. */
async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.url}${path}`, init);
  const { status, headers } = response;
  return { status, headers, body: await response.text() };
}

const end = (runId: string) =>
  callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, 'done');

const waitOnce: RunScript = (delivery) =>
  isFirst(delivery) ? askToWait(server, delivery.runId, 'evt_1', 1) : end(delivery.runId);

const notFound = { status: 404, body: '{"error":"webhook not found"}' };

describe('a call of a webhook', () => {
  it('ends the wait for it, and is told as it was made', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_called');
    await runs.delivered(1);
    const path = `${pathOf('wfr_called')}?x=1&y=%20`;
    const answer = await call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-thing': 'ä', authorization: 'Basic eA==' },
      body: '{"r":1}',
    });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(answer.headers.get('stepwell-durability')).toBe('fsync');
    const [, second] = await runs.delivered(2);
    const told = callOf(second);
    expect(told).toEqual({
      method: 'POST',
      header: expect.objectContaining({
        'Content-Type': ['application/json'],
        'X-Thing': ['ä'],
        Authorization: ['Basic eA=='],
      }),
      body: Buffer.from('{"r":1}').toString('base64'),
      proto: 'http',
      host: new URL(server.url).host,
      url: path,
    });
    expect(`${told.proto}://${told.host}${told.url}`).toBe(`${server.url}${path}`);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('may be a %s', async (method) => {
    script = waitOnce;
    const runId = `wfr_by_${method}`;
    await runs.begin(server, runId);
    await runs.delivered(1);
    const answer = await call(pathOf(runId), { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('stepwell-durability')).toBe('fsync');
    const [, second] = await runs.delivered(2);
    expect(callOf(second)).toMatchObject({ method, body: '' });
  });

  it('is kept for the wait that will come, and each is told once', async () => {
    script = async ({ runId, entries }) => {
      if (entries.length > 2) return end(runId);
      if (entries.length === 1) {
        expect((await call(pathOf(runId), { method: 'POST', body: 'one' })).status).toBe(200);
        expect((await call(pathOf(runId), { method: 'POST', body: 'two' })).status).toBe(200);
      }
      return askToWait(server, runId, 'evt_1', entries.length);
    };
    await runs.begin(server, 'wfr_kept_calls');
    const [, second, third] = await runs.delivered(3);
    expect(
      [second, third].map((each) => Buffer.from(callOf(each).body, 'base64').toString()),
    ).toEqual(['one', 'two']);
  });

  it('ends one of two waits, and the next call the other', async () => {
    script = async (delivery) => {
      const { runId } = delivery;
      if (isFirst(delivery)) {
        await askToWait(server, runId, 'evt_1', 1);
        await askToWait(server, runId, 'evt_1', 2);
      } else if (delivery.entries.length === 3) await end(runId);
    };
    await runs.begin(server, 'wfr_two_waits');
    await runs.delivered(1);
    await call(pathOf('wfr_two_waits'), { method: 'POST', body: 'one' });
    await call(pathOf('wfr_two_waits'), { method: 'POST', body: 'two' });
    const later = (await runs.delivered(3)).slice(1);
    const told = later.map((each) => [
      lastStep(each)['stepId'],
      Buffer.from(callOf(each).body, 'base64').toString(),
    ]);
    expect(told.sort()).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  it('may come in a body of any kind, up to the limit', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_bytes');
    await runs.delivered(1);
    const body = Buffer.alloc(64 * kilobyte, 0xff);
    const tooLarge = Buffer.alloc(64 * kilobyte + 1);
    expect((await call(pathOf('wfr_bytes'), { method: 'POST', body: tooLarge })).status).toBe(413);
    expect((await call(pathOf('wfr_bytes'), { method: 'PUT', body })).status).toBe(200);
    const [, second] = await runs.delivered(2);
    expect(Buffer.from(callOf(second).body, 'base64').equals(body)).toBe(true);
  });

  it('is told with the public address of the server, where that has one', async () => {
    const environment = { STEPWELL_PUBLIC_URL: 'https://hooks.example.com/stepwell' };
    const known = await startServer({ environment });
    try {
      script = (delivery) =>
        isFirst(delivery) ? askToWait(known, delivery.runId, 'evt_1', 1) : Promise.resolve();
      await runs.begin(known, 'wfr_public');
      await runs.delivered(1);
      await (await fetch(`${known.url}${pathOf('wfr_public')}`)).text();
      const [, second] = await runs.delivered(2);
      const { proto, host, url } = callOf(second);
      expect(`${proto}://${host}${url}`).toBe(
        `https://hooks.example.com/stepwell${pathOf('wfr_public')}`,
      );
    } finally {
      await known.remove();
    }
  });
});

describe('a webhook', () => {
  it('is not found where the run has ended or never began, or nobody has its user', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_over');
    await runs.begin(server, 'wfr_waits');
    await runs.delivered(2);
    await call(pathOf('wfr_over'));
    await runs.delivered(3);
    for (const path of [
      pathOf('wfr_over'),
      pathOf('wfr_unknown'),
      pathOf('wfr_waits', 'evt_1', 'somebody'),
      pathOf('wfr_waits', 'evt_1', 'Stepwell'),
      pathOf('wfr_waits', 'x'.repeat(3000)),
    ]) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await call(path, { method });
        expect([path, { status, body }]).toEqual([path, notFound]);
      }
    }
    expect((await callApi(server, 'GET', '/v2/waiters/evt_1')).body).toHaveLength(1);
  });

  it('takes the user of a token that may only read', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_reader');
    await runs.delivered(1);
    expect((await call(pathOf('wfr_reader', 'evt_1', 'reader'))).status).toBe(200);
  });

  it('is not found before its body has come', async () => {
    const head = `POST ${pathOf('wfr_unknown')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const answer = await rawRequest(server.port, `${head}Content-Length: 60000\r\n\r\nfew bytes`);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([404, { error: 'webhook not found' }]);
  });

  it('asks no more of a head than any route does, and no less', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}: 1\r\n`).join('');
    const path = pathOf('wfr_unknown');
    const answer = await rawRequest(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${many}\r\n`);
    expect(statusOf(answer)).toBe(431);
  });

  it('opens no other door', async () => {
    for (const path of [
      '/v2/workflows/hooks',
      '/v2/workflows/hooks/stepwell/wfr_1/a/b',
      '/v2/keys',
    ]) {
      expect((await call(path)).status).toBe(401);
    }
  });
});
