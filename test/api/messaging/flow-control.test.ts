import { Client } from '@upstash/qstash';
import {
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let endpoint: RecordingEndpoint;
let client: Client;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_DIALECT: 'upstash', STEPWELL_GLOBAL_PARALLELISM: '50' },
  });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

/** Requests whose answers wait until the test gives them. */
class HeldAnswers {
  private readonly waiting: ((answer: ScriptedAnswer) => void)[] = [];

  readonly script = () =>
    new Promise<ScriptedAnswer>((resolve) => {
      this.waiting.push(resolve);
    });

  release(): void {
    for (const answer of this.waiting.splice(0)) answer({ status: 200 });
  }
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const publish = (key: string, limits: object, count = 1) =>
  Promise.all(
    Array.from({ length: count }, () =>
      client.publish({ url: endpoint.url, body: 'x', flowControl: { key, ...limits } as never }),
    ),
  );

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, bearer = server.bearer): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: bearer },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, text, body: isJson ? JSON.parse(text) : {} };
}

describe('the published client', () => {
  it('sees a key with every field as soon as a message has named it', async () => {
    await publish('seen', { parallelism: 3, rate: 4, period: '2m' });
    const before = Math.floor(Date.now() / 1000) - 60;
    await endpoint.received(1);
    const info = await client.flowControl.get('seen');
    expect(info).toEqual({
      flowControlKey: 'seen',
      waitListSize: 0,
      parallelismMax: 3,
      parallelismCount: expect.any(Number),
      rateMax: 4,
      rateCount: 1,
      ratePeriod: 120,
      ratePeriodStart: expect.any(Number),
      isPaused: false,
      isPinnedParallelism: false,
      isPinnedRate: false,
    });
    expect(info.ratePeriodStart).toBeGreaterThan(before);
  });

  it('is limited by the parallelism of a key, with counts of waiting and running', async () => {
    const held = new HeldAnswers();
    endpoint.answer(held.script);
    await publish('narrow', { parallelism: 2 }, 5);
    await endpoint.received(2);
    expect(await client.flowControl.get('narrow')).toMatchObject({
      waitListSize: 3,
      parallelismMax: 2,
      parallelismCount: 2,
      rateMax: 0,
    });
    expect(await client.flowControl.getGlobalParallelism()).toEqual({
      parallelismMax: 50,
      parallelismCount: 2,
    });
    held.release();
    await endpoint.received(4);
    held.release();
    await endpoint.received(5);
    held.release();
    await until(async () => (await client.flowControl.get('narrow')).parallelismCount === 0);
  });

  it('is limited by the rate of a key until it resets the rate', async () => {
    await publish('slow', { rate: 2, period: '1h' }, 3);
    await endpoint.received(2);
    expect(await client.flowControl.get('slow')).toMatchObject({
      waitListSize: 1,
      rateMax: 2,
      rateCount: 2,
      ratePeriod: 3600,
    });
    await client.flowControl.resetRate('slow');
    await endpoint.received(3);
    expect(await client.flowControl.get('slow')).toMatchObject({ waitListSize: 0, rateCount: 1 });
  });

  it('pauses a key and resumes it', async () => {
    await client.flowControl.pin('still', { parallelism: 5 });
    await client.flowControl.pause('still');
    await publish('still', { parallelism: 5 }, 2);
    await publish('moving', { parallelism: 5 });
    await endpoint.received(1);
    expect(await client.flowControl.get('still')).toMatchObject({ isPaused: true });
    await until(async () => (await client.flowControl.get('still')).waitListSize === 2);
    expect(endpoint.requests).toHaveLength(1);
    await client.flowControl.resume('still');
    await endpoint.received(3);
    expect(await client.flowControl.get('still')).toMatchObject({ isPaused: false });
  });

  it('pins limits against later publishes, and unpins them one by one', async () => {
    await publish('pinned', { parallelism: 1, rate: 1, period: '1s' });
    await client.flowControl.pin('pinned', { parallelism: 7, rate: 8, period: 60 });
    await publish('pinned', { parallelism: 2, rate: 3, period: '9s' });
    const limits = { parallelismMax: 7, rateMax: 8, ratePeriod: 60 };
    expect(await client.flowControl.get('pinned')).toMatchObject({
      ...limits,
      isPinnedParallelism: true,
      isPinnedRate: true,
    });
    await client.flowControl.unpin('pinned', { rate: true });
    expect(await client.flowControl.get('pinned')).toMatchObject({
      ...limits,
      isPinnedParallelism: true,
      isPinnedRate: false,
    });
    await publish('pinned', { parallelism: 2, rate: 3, period: '9s' });
    expect(await client.flowControl.get('pinned')).toMatchObject({
      parallelismMax: 7,
      rateMax: 3,
      ratePeriod: 9,
    });
    await client.flowControl.unpin('pinned', { parallelism: true });
    expect(await client.flowControl.get('pinned')).toMatchObject({ isPinnedParallelism: false });
  });

  it('pins a key that no message has named yet', async () => {
    await client.flowControl.pin('planned', { rate: 5, period: 30 });
    expect(await client.flowControl.get('planned')).toMatchObject({
      parallelismMax: 0,
      rateMax: 5,
      ratePeriod: 30,
      isPinnedParallelism: false,
      isPinnedRate: true,
    });
  });

  it('gets 404 for an unknown key', async () => {
    await expect(client.flowControl.get('unknown')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the list of keys', () => {
  it.each(['/v2/flowControl', '/v2/flowControl/'])('is an object at %s', async (path) => {
    await client.flowControl.pin('listed-1', { parallelism: 1 });
    const { status, body } = await call('GET', path);
    expect(status).toBe(200);
    const records = body['flowControls'] as { flowControlKey: string }[];
    expect(records.map(({ flowControlKey }) => flowControlKey)).toContain('listed-1');
    expect(Object.keys(records[0] ?? {})).toHaveLength(11);
  });

  it('is searched by a part of the name', async () => {
    await client.flowControl.pin('listed-2', { parallelism: 1 });
    const { body } = await call('GET', '/v2/flowControl?search=sted-2');
    expect(body['flowControls']).toEqual([expect.objectContaining({ flowControlKey: 'listed-2' })]);
    expect((await call('GET', '/v2/flowControl?search=nobody')).body).toEqual({ flowControls: [] });
  });
});

describe('the routes of a key', () => {
  it.each([
    ['pause', ''],
    ['resume', ''],
    ['pin', '?parallelism=1'],
    ['unpin', '?parallelism=true&rate=false'],
    ['resetRate', ''],
    ['reset', ''],
  ])('answer %s with 200 and no body', async (action, query) => {
    await call('POST', `/v2/flowControl/fresh-${action}/pin?rate=1`);
    const { status, text } = await call(
      'POST',
      `/v2/flowControl/fresh-${action}/${action}${query}`,
    );
    expect([status, text]).toEqual([200, '']);
  });

  it.each([
    ['POST', '/v2/flowControl/k/pin', 'parallelism'],
    ['POST', '/v2/flowControl/k/pin?rate=0', 'rate'],
    ['POST', '/v2/flowControl/k/pin?period=604801', 'period'],
    ['POST', '/v2/flowControl/k/pin?paralelism=1', 'paralelism'],
    ['POST', '/v2/flowControl/k/unpin', 'parallelism'],
    ['POST', '/v2/flowControl/k/unpin?rate=yes', 'rate'],
    ['POST', '/v2/flowControl/k/pause?now=1', 'now'],
    ['POST', '/v2/flowControl/k/resume?now=1', 'now'],
    ['POST', '/v2/flowControl/k/resetRate?now=1', 'now'],
    ['POST', '/v2/flowControl/no%20name/pause', 'key'],
    ['POST', `/v2/flowControl/${'k'.repeat(257)}/pin?rate=1`, 'key'],
    ['GET', '/v2/flowControl/?serach=k', 'serach'],
    ['GET', '/v2/flowControl/k?search=k', 'search'],
  ])('refuse %s %s and name %s', async (method, path, named) => {
    const { status, body } = await call(method, path);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringContaining(named) });
  });

  it('answer in the form of the interface if key, method or permission is missing', async () => {
    const missing = await call('GET', '/v2/flowControl/missing');
    expect(missing).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect((await call('DELETE', '/v2/flowControl/k')).status).toBe(405);
    const reader = `Bearer ${server.readToken}`;
    expect((await call('POST', '/v2/flowControl/k/pause', reader)).status).toBe(403);
    expect((await call('GET', '/v2/flowControl', reader)).status).toBe(200);
    expect((await call('GET', '/v2/globalParallelism', 'Bearer wrong')).status).toBe(401);
  });
});

describe('limits', () => {
  it('apply to retries, and survive a restart with the spent starts', async () => {
    let own = await startServer();
    const authorization = () => own.bearer;
    const send = (retries: number) =>
      fetch(`${own.url}/v2/publish/${endpoint.url}`, {
        method: 'POST',
        headers: {
          authorization: authorization(),
          'svc-flow-control-key': 'k',
          'svc-flow-control-value': 'rate=2, period=1h',
          'svc-retries': String(retries),
          'svc-retry-delay': '0',
        },
        body: 'x',
      });
    endpoint.answer(() => ({ status: 500 }));
    await send(3);
    await endpoint.received(2);
    const record = async () => {
      const response = await fetch(`${own.url}/v2/flowControl/k`, {
        headers: { authorization: authorization() },
      });
      return (await response.json()) as { waitListSize: number; rateCount: number };
    };
    await until(async () => (await record()).waitListSize === 1);
    await own.stop();
    own = await startServer({ dataDirectory: own.dataDirectory });
    expect(await record()).toMatchObject({ waitListSize: 1, rateCount: 2, rateMax: 2 });
    expect(endpoint.requests).toHaveLength(2);
    await own.remove();
  });

  it('apply to callbacks that name the key', async () => {
    const held = new HeldAnswers();
    endpoint.answer(({ url }) => (url === '/callback' ? held.script() : {}));
    const response = await fetch(`${server.url}/v2/publish/${endpoint.url}/source`, {
      method: 'POST',
      headers: {
        authorization: server.bearer,
        'upstash-callback': `${endpoint.url}/callback`,
        'upstash-callback-flow-control-key': 'called-back',
        'upstash-callback-flow-control-value': 'parallelism=1',
      },
      body: 'x',
    });
    expect(response.status).toBe(200);
    await endpoint.received(2);
    expect(await client.flowControl.get('called-back')).toMatchObject({ parallelismCount: 1 });
    await publish('called-back', { parallelism: 1 });
    await until(async () => (await client.flowControl.get('called-back')).waitListSize === 1);
    held.release();
    await endpoint.received(3);
  });
});

it('the metrics count the attempts that wait', async () => {
  await client.flowControl.pin('metered', { parallelism: 1 });
  await client.flowControl.pause('metered');
  await publish('metered', { parallelism: 1 }, 3);
  await until(async () => {
    const { text } = await call('GET', '/metrics');
    return text.includes('stepwell_waiting_attempts 3');
  });
  await client.flowControl.resume('metered');
  await endpoint.received(3);
});
