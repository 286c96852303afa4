import { randomUUID } from 'node:crypto';
import { callApi } from '../../support/clients/api-call.js';
import { bodyOf, rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  announceWebhook,
  askToWait,
  askToWaitForCall,
  type Delivery,
  eventOf,
  lastStep,
  type RunScript,
  WaitingRuns,
} from '../../support/workflows/waiting-runs.js';

let server: TestServer;
let runs: WaitingRuns;
/** What the endpoint does at each delivery; set by each test. */
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

/** A call as a run gets it. */
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

const announce = (runId: string, eventId = 'evt_1', stepId = 1) =>
  announceWebhook(server, runs, runId, eventId, stepId);

/** Announces the webhook, waits for its call, ends. */
const waitOnce: RunScript = ({ runId, entries }) =>
  entries.length === 1
    ? announce(runId)
    : entries.length === 2
      ? askToWaitForCall(server, runId, 'evt_1', 2)
      : end(runId);

const shown = async (path: string, init: RequestInit) => {
  const { status, body } = await call(path, init);
  return { status, body };
};

/** The number of open waits of a run for an event. */
async function openWaits(runId: string, eventId: string): Promise<number> {
  const { body } = await callApi(server, 'GET', `/v2/waiters/${eventId}`);
  const waiters = body as { headers: Readonly<Record<string, readonly string[]>> }[];
  return waiters.filter(({ headers }) => headers['Svc-Workflow-Runid']?.[0] === runId).length;
}

const notFound = { status: 404, body: '{"error":"webhook not found"}' };

describe('a call of a webhook', () => {
  it.each([
    ['a token', () => ({ authorization: server.bearer })],
    ['a user and a password', () => ({ authorization: server.basic })],
    ['a session of the console', () => ({ cookie: 'stepwell_0a1b2c3d=x' })],
  ])('shows its run no credential of this server: %s', async (_what, credential) => {
    script = waitOnce;
    const runId = `wfr_shown_${randomUUID()}`;
    await runs.begin(server, runId);
    await runs.delivered(2);
    expect((await call(pathOf(runId), { method: 'POST', headers: credential() })).status).toBe(200);
    const [, , last] = await runs.delivered(3);
    const { header } = callOf(last);
    expect(header).not.toHaveProperty('Authorization');
    expect(header).not.toHaveProperty('Cookie');
  });

  it('does not show the run a token of this server in the query', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_query');
    await runs.delivered(2);
    const own = new URLSearchParams({ token: server.token }).toString();
    const path = pathOf('wfr_query');
    await call(`${path}?a=1&${own}&token=another&qstash_${own}`, { method: 'POST' });
    const [, , last] = await runs.delivered(3);
    expect(callOf(last).url).toBe(`${path}?a=1&token=another`);
  });

  it('ends the wait for it, and is delivered unchanged', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_called');
    await runs.delivered(2);
    const path = `${pathOf('wfr_called')}?x=1&y=%20`;
    const answer = await call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-thing': 'ä', authorization: 'Basic eA==' },
      body: '{"r":1}',
    });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(answer.headers.get('stepwell-durability')).toBe('fsync');
    const [, , last] = await runs.delivered(3);
    const shown = callOf(last);
    expect(shown).toEqual({
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
    expect(`${shown.proto}://${shown.host}${shown.url}`).toBe(`${server.url}${path}`);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('may be a %s', async (method) => {
    script = waitOnce;
    const runId = `wfr_by_${method}`;
    await runs.begin(server, runId);
    await runs.delivered(2);
    const answer = await call(pathOf(runId), { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('stepwell-durability')).toBe('fsync');
    const [, , last] = await runs.delivered(3);
    expect(callOf(last)).toMatchObject({ method, body: '' });
  });

  it('is kept for a later wait, and is delivered once', async () => {
    script = async ({ runId, entries }) => {
      if (entries.length > 3) return end(runId);
      if (entries.length === 1) return announce(runId);
      if (entries.length === 2) {
        expect((await call(pathOf(runId), { method: 'POST', body: 'one' })).status).toBe(200);
        expect((await call(pathOf(runId), { method: 'POST', body: 'two' })).status).toBe(200);
      }
      return askToWaitForCall(server, runId, 'evt_1', entries.length);
    };
    await runs.begin(server, 'wfr_kept_calls');
    const [, , third, fourth] = await runs.delivered(4);
    expect(
      [third, fourth].map((each) => Buffer.from(callOf(each).body, 'base64').toString()),
    ).toEqual(['one', 'two']);
  });

  it('ends one of two waits, and the next call the other', async () => {
    script = async (delivery) => {
      const { runId, entries } = delivery;
      if (isFirst(delivery)) await announce(runId);
      if (entries.length === 2) {
        await askToWaitForCall(server, runId, 'evt_1', 2);
        await askToWaitForCall(server, runId, 'evt_1', 3);
      } else if (entries.length === 4) await end(runId);
    };
    await runs.begin(server, 'wfr_two_waits');
    await runs.delivered(2);
    await call(pathOf('wfr_two_waits'), { method: 'POST', body: 'one' });
    await call(pathOf('wfr_two_waits'), { method: 'POST', body: 'two' });
    const later = (await runs.delivered(4)).slice(2);
    const shown = later.map((each) => [
      lastStep(each)['stepId'],
      Buffer.from(callOf(each).body, 'base64').toString(),
    ]);
    expect(shown.sort()).toEqual([
      [2, 'one'],
      [3, 'two'],
    ]);
  });

  it('may come in a body of any kind, up to the limit', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_bytes');
    await runs.delivered(2);
    const body = Buffer.alloc(64 * kilobyte, 0xff);
    const tooLarge = Buffer.alloc(64 * kilobyte + 1);
    expect((await call(pathOf('wfr_bytes'), { method: 'POST', body: tooLarge })).status).toBe(413);
    expect((await call(pathOf('wfr_bytes'), { method: 'PUT', body })).status).toBe(200);
    const [, , last] = await runs.delivered(3);
    expect(Buffer.from(callOf(last).body, 'base64').equals(body)).toBe(true);
  });

  it('is shown with the public address of the server, if there is one', async () => {
    const environment = { STEPWELL_PUBLIC_URL: 'https://hooks.example.com/stepwell' };
    const known = await startServer({ environment });
    try {
      script = async ({ runId, entries }) => {
        if (entries.length === 1) await announceWebhook(known, runs, runId, 'evt_1', 1);
        if (entries.length === 2) await askToWaitForCall(known, runId, 'evt_1', 2);
      };
      await runs.begin(known, 'wfr_public');
      await runs.delivered(2);
      await (await fetch(`${known.url}${pathOf('wfr_public')}`)).text();
      const [, , last] = await runs.delivered(3);
      const { proto, host, url } = callOf(last);
      expect(`${proto}://${host}${url}`).toBe(
        `https://hooks.example.com/stepwell${pathOf('wfr_public')}`,
      );
    } finally {
      await known.remove();
    }
  });
});

describe('a webhook', () => {
  it('is not found if its run has ended or never began, or its user is unknown', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_over');
    await runs.begin(server, 'wfr_waits');
    await runs.delivered(4);
    await call(pathOf('wfr_over'));
    await runs.delivered(5);
    for (const path of [
      pathOf('wfr_waits', 'evt_2'),
      pathOf('wfr_over'),
      pathOf('wfr_unknown'),
      pathOf('wfr_waits', 'evt_1/more'),
      pathOf('wfr_waits/more'),
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

  it('ends no wait for an event, not even for an event of the same name', async () => {
    script = async ({ runId, entries }) => {
      if (entries.length === 1) await announce(runId);
      if (entries.length === 2) await askToWait(server, runId, 'evt_1', 2);
      if (entries.length === 2) await askToWait(server, runId, 'paid', 3);
    };
    await runs.begin(server, 'wfr_events');
    await runs.delivered(2);
    const body = JSON.stringify({ paid: true });
    expect(await shown(pathOf('wfr_events', 'paid'), { method: 'POST', body })).toEqual(notFound);
    // The call is kept for a wait for a call.
    expect((await call(pathOf('wfr_events'), { method: 'POST', body })).status).toBe(200);
    for (const event of ['paid', 'evt_1']) {
      expect(await openWaits('wfr_events', event)).toBe(1);
    }
    await askToWaitForCall(server, 'wfr_events', 'evt_1', 4);
    const [, , last] = await runs.delivered(3);
    expect(lastStep(last as Delivery)).toMatchObject({ stepId: 4, stepType: 'WaitForWebhook' });
    await end('wfr_events');
  });

  it('keeps nothing for a run that has not announced it', async () => {
    const early: unknown[] = [];
    script = async ({ runId, entries }) => {
      if (entries.length > 1) return;
      early.push(await shown(pathOf(runId), { method: 'POST', body: 'early' }));
      await askToWaitForCall(server, runId, 'evt_1', 1);
    };
    await runs.begin(server, 'wfr_silent');
    await runs.delivered(1);
    expect(early).toEqual([notFound]);
    expect(await shown(pathOf('wfr_silent'), { method: 'POST', body: 'late' })).toEqual(notFound);
    expect(await openWaits('wfr_silent', 'evt_1')).toBe(1);
    // A client with credentials may end the wait.
    const notified = await callApi(server, 'POST', '/v2/notify/wfr_silent/evt_1', {}, 'known');
    expect(notified.body).toHaveLength(1);
    await runs.delivered(2);
    await end('wfr_silent');
  });

  it('keeps a hundred calls without a wait, and then asks callers to come back', async () => {
    script = async ({ runId, entries }) => {
      if (entries.length === 1) await announce(runId);
      if (entries.length === 2) await askToWait(server, runId, 'never', 9);
    };
    await runs.begin(server, 'wfr_flood');
    await runs.delivered(2);
    for (let calls = 0; calls < 100; calls += 1) {
      expect((await call(pathOf('wfr_flood'), { method: 'POST', body: `${calls}` })).status).toBe(
        200,
      );
    }
    const refused = await call(pathOf('wfr_flood'), { method: 'POST', body: 'one more' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    // Events of the application itself are not displaced.
    const notified = await callApi(server, 'POST', '/v2/notify/wfr_flood/paid', {}, 'known');
    expect(notified.status).toBe(201);
    await askToWaitForCall(server, 'wfr_flood', 'evt_1', 2);
    const [, , last] = await runs.delivered(3);
    expect(Buffer.from(callOf(last).body, 'base64').toString()).toBe('0');
    expect((await call(pathOf('wfr_flood'), { method: 'POST', body: 'again' })).status).toBe(200);
    await end('wfr_flood');
  });

  it('accepts the user of a read-only token', async () => {
    script = waitOnce;
    await runs.begin(server, 'wfr_reader');
    await runs.delivered(2);
    expect((await call(pathOf('wfr_reader', 'evt_1', 'reader'))).status).toBe(200);
  });

  it('is not found before its body has come', async () => {
    const head = `POST ${pathOf('wfr_unknown')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const answer = await rawRequest(server.port, `${head}Content-Length: 60000\r\n\r\nfew bytes`);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([404, { error: 'webhook not found' }]);
  });

  it('has the same requirements for a request head as any other route', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}: 1\r\n`).join('');
    const path = pathOf('wfr_unknown');
    const answer = await rawRequest(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${many}\r\n`);
    expect(statusOf(answer)).toBe(431);
  });

  it('gives access to no other route', async () => {
    for (const path of ['/v2/workflows/hooks', '/v2/workflows/hooks/stepwell', '/v2/keys']) {
      expect((await call(path)).status).toBe(401);
    }
  });
});
