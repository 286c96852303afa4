import { callApi } from '../../support/clients/api-call.js';
import { startHoldingEndpoint } from '../../support/clients/holding-endpoint.js';
import type { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
/** Lets everything go that the endpoint holds open. */
let release: () => void;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  ({ endpoint, release } = await startHoldingEndpoint());
});

afterEach(async () => {
  release();
  await callApi(server, 'DELETE', '/v2/messages');
  await endpoint.stop();
});

interface LineAnswer {
  readonly waiting: readonly { messageId: string; state: string; since?: number }[];
  readonly [field: string]: unknown;
}

const ask = async (method: string, path: string) =>
  (await callApi(server, method, `/v2/${path}`)).body;

async function publish(path: string, headers: Record<string, string>, way = 'publish') {
  const { body } = await callApi(server, 'POST', `/v2/${way}/${endpoint.url}${path}`, headers, 'x');
  return (body as { messageId: string }).messageId;
}

/** The line once so many wait in it; the test's time limit ends a wait for another number. */
async function lineOf(path: string, states: string): Promise<LineAnswer> {
  for (;;) {
    const line = (await ask('GET', `${path}/waiting`)) as LineAnswer;
    if (String(line.waiting.map(({ state }) => state)) === states) return line;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the line of a queue', () => {
  it('has those that hold slots, those that have joined, and those delayed', async () => {
    const later = await publish('/', { 'svc-delay': '2h' }, 'enqueue/line');
    const sooner = await publish('/', { 'svc-delay': '1h' }, 'enqueue/line');
    const first = await publish('/hangs', {}, 'enqueue/line');
    await endpoint.received(1);
    const second = await publish('/', {}, 'enqueue/line');
    const line = await lineOf('queues/line', 'ACTIVE,WAITING,DELAYED,DELAYED');
    expect(line).toMatchObject({ queueName: 'line', paused: false, parallelism: 1, lag: 4 });
    expect(line.waiting.map(({ messageId }) => messageId)).toEqual([first, second, sooner, later]);
    const [held, next, delayed] = line.waiting;
    expect(held?.since).toBeLessThanOrEqual(next?.since ?? 0);
    expect(delayed).not.toHaveProperty('since');
    const two = (await ask('GET', 'queues/line/waiting?count=2')) as LineAnswer;
    expect(two.waiting).toEqual(line.waiting.slice(0, 2));
  });

  it('keeps the place of one whose callback is not delivered', async () => {
    const callback = { 'svc-callback': `${endpoint.url}/hangs` };
    const first = await publish('/', callback, 'enqueue/calls');
    await publish('/', {}, 'enqueue/calls');
    const line = await lineOf('queues/calls', 'CALLBACKS,WAITING');
    expect(line.waiting[0]?.messageId).toBe(first);
  });

  it('is not found where there is no such queue, and has no line without bounds', async () => {
    for (const path of ['queues/none/waiting', 'flowControl/none/waiting']) {
      expect(await callApi(server, 'GET', `/v2/${path}`)).toMatchObject({ status: 404 });
      expect(await callApi(server, 'GET', `/v2/${path}?count=0`)).toMatchObject({ status: 400 });
    }
  });
});

describe('the line of a flow-control key', () => {
  it('has those that wait, in the order in which they start', async () => {
    const limits = { 'svc-flow-control-key': 'k', 'svc-flow-control-value': 'parallelism=1' };
    await publish('/hangs', limits);
    await endpoint.received(1);
    const waiting: string[] = [];
    for (const _ of [1, 2, 3]) waiting.push(await publish('/', limits));
    const line = await lineOf('flowControl/k', 'WAITING,WAITING,WAITING');
    expect(line).toMatchObject({ flowControlKey: 'k', isPaused: false, waitListSize: 3 });
    expect(line.waiting.map(({ messageId }) => messageId)).toEqual(waiting);
    const one = (await ask('GET', 'flowControl/k/waiting?count=1')) as LineAnswer;
    expect(one).toMatchObject({ waitListSize: 3, waiting: [line.waiting[0]] });
  });
});

describe('pausing all', () => {
  it('pauses and resumes every queue that was not', async () => {
    const make = (body: object) => callApi(server, 'POST', '/v2/queues', {}, JSON.stringify(body));
    const { length } = (await ask('GET', 'queues')) as unknown[];
    await make({ queueName: 'one' });
    await make({ queueName: 'two' });
    await make({ queueName: 'paused', paused: true });
    expect(await ask('POST', 'queues/pause')).toEqual({ paused: length + 2 });
    const all = (await ask('GET', 'queues')) as { paused: boolean }[];
    expect(all.every(({ paused }) => paused)).toBe(true);
    const held = await publish('/', {}, 'enqueue/one');
    await lineOf('queues/one', 'WAITING');
    expect(await ask('POST', 'queues/resume')).toEqual({ resumed: length + 3 });
    expect(await ask('POST', 'queues/resume')).toEqual({ resumed: 0 });
    expect(await endpoint.received(1)).toHaveLength(1);
    expect(held).toMatch(/^msg_/);
  });

  it('pauses and resumes every flow-control key', async () => {
    const limits = { 'svc-flow-control-key': 'all', 'svc-flow-control-value': 'parallelism=9' };
    await publish('/', limits);
    await endpoint.received(1);
    const { paused } = (await ask('POST', 'flowControl/pause')) as { paused: number };
    expect(paused).toBeGreaterThan(0);
    expect(await ask('GET', 'flowControl/all')).toMatchObject({ isPaused: true });
    expect(await ask('POST', 'flowControl/resume')).toEqual({ resumed: paused });
    expect(await ask('GET', 'flowControl/all')).toMatchObject({ isPaused: false });
  });
});
