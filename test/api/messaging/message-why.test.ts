import { type Answer, callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
/** Answers all requests that the endpoint holds open. */
let release: () => void;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_GLOBAL_PARALLELISM: '8', STEPWELL_ORIGIN_PARALLELISM: '3' },
  });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
  const held: (() => void)[] = [];
  let isReleased = false;
  endpoint.answer(({ url }) => {
    if (url !== '/hangs' || isReleased) return url === '/fails' ? { status: 500 } : {};
    return new Promise((resolve) => held.push(() => resolve({})));
  });
  release = () => {
    isReleased = true;
    for (const each of held) each();
  };
});

afterEach(async () => {
  release();
  await callApi(server, 'DELETE', '/v2/messages');
  await endpoint.stop();
});

const post = (path: string, headers: Record<string, string> = {}, body?: string) =>
  callApi(server, 'POST', `/v2${path}`, headers, body);

async function publish(
  path: string,
  headers: Record<string, string> = {},
  way = 'publish',
): Promise<string> {
  const { body } = await post(`/${way}/${endpoint.url}${path}`, headers);
  return (body as { messageId: string }).messageId;
}

async function why(id: string): Promise<Record<string, unknown>> {
  const { body } = await callApi(server, 'GET', `/v2/messages/${id}/why`);
  return body as Record<string, unknown>;
}

/**
 * The answer once its reason is `reason`; if it never is, the time limit of the test ends the wait.
 */
async function whyOnce(id: string, reason: string): Promise<Record<string, unknown>> {
  for (;;) {
    const answered = await why(id);
    if (answered['reason'] === reason) return answered;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('why a message waits', () => {
  it('can be its delay', async () => {
    const id = await publish('/', { 'svc-delay': '1h' });
    const { until, sentence, ...rest } = await why(id);
    const { body } = await callApi(server, 'GET', `/v2/messages/${id}`);
    expect(until).toBe((body as { notBefore: number }).notBefore);
    expect(sentence).toBe(
      `It is delayed until ${new Date(Number(until)).toISOString().slice(0, 19)}Z.`,
    );
    expect(rest).toEqual({ messageId: id, reason: 'delayed' });
  });

  it('can be the next retry, with the failure of the last attempt', async () => {
    const id = await publish('/fails', { 'svc-retries': '2', 'svc-retry-delay': '3600000' });
    const { sentence, until } = await whyOnce(id, 'retry');
    expect(sentence).toMatch(
      /^Attempt 1 of \S+Z failed: the answer was 500; attempt 2 of 3 starts at \S+Z\.$/,
    );
    expect(Number(until)).toBeGreaterThan(Date.now() + 3_000_000);
  });

  it('can be a destination that has not answered, with its deadline', async () => {
    const id = await publish('/hangs', { 'svc-timeout': '30s' });
    await endpoint.received(1);
    const { reason, sentence, until } = await why(id);
    expect(reason).toBe('in_flight');
    expect(sentence).toContain(`${endpoint.url}/hangs has until`);
    const { body } = await callApi(server, 'GET', `/v2/logs?messageId=${id}&state=ACTIVE`);
    const [active] = (body as { logs: readonly { time: number }[] }).logs;
    expect(until).toBe((active?.time ?? 0) + 30_000);
  });

  it('can be the message ahead of it in its queue, or a paused queue', async () => {
    const first = await publish('/hangs', {}, 'enqueue/line');
    const second = await publish('/', {}, 'enqueue/line');
    const third = await publish('/', {}, 'enqueue/line');
    await endpoint.received(1);
    expect(await whyOnce(second, 'queue_order')).toMatchObject({
      sentence: `Queue line delivers 1 at a time in order, and ${first} is ahead.`,
      remedy: `GET /v2/messages/${first}/why says what it waits for.`,
    });
    const { sentence } = await whyOnce(third, 'queue_order');
    expect(sentence).toMatch(/; 1 attempt is ahead\.$/);
    await post('/queues/line/pause');
    expect(await whyOnce(second, 'queue_paused')).toMatchObject({
      sentence: 'Queue line is paused.',
      remedy: 'POST /v2/queues/line/resume',
    });
    await post('/queues/line/resume');
  });

  it('can be a key that is paused, full, or has spent its rate', async () => {
    const limits = { 'svc-flow-control-key': 'wide', 'svc-flow-control-value': 'parallelism=1' };
    await publish('/hangs', limits);
    const behind = await publish('/', limits);
    expect(await whyOnce(behind, 'flow_control_parallelism')).toMatchObject({
      sentence: 'Flow-control key wide allows 1 attempt at once, and 1 is in flight.',
    });
    await post('/flowControl/wide/pause');
    expect(await whyOnce(behind, 'flow_control_paused')).toMatchObject({
      sentence: 'Flow-control key wide is paused.',
      remedy: 'POST /v2/flowControl/wide/resume',
    });
    await post('/flowControl/wide/resume');
    const rate = {
      'svc-flow-control-key': 'slow',
      'svc-flow-control-value': 'rate=1,period=1h',
    };
    await publish('/', rate);
    await endpoint.received(2);
    const late = await publish('/', rate);
    const { sentence, until } = await whyOnce(late, 'flow_control_rate');
    expect(sentence).toMatch(/^Flow-control key slow allows 1 start in 3,600 seconds; they are/);
    expect(Number(until)).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('can be the limit of attempts to its destination', async () => {
    for (const _ of [1, 2, 3]) await publish('/hangs');
    const fourth = await publish('/');
    const fifth = await publish('/');
    const { sentence, remedy } = await whyOnce(fourth, 'origin_limit');
    expect(sentence).toMatch(
      new RegExp(`^\\d attempts to ${endpoint.url} in flight are (the maximum|its share)`),
    );
    expect(remedy).toContain('STEPWELL_ORIGIN_PARALLELISM');
    const behind = await whyOnce(fifth, 'origin_limit');
    expect(behind['sentence']).toContain('1 attempt is ahead.');
  });
});

describe('a message that is final', () => {
  it('explains how it ended', async () => {
    const delivered = await publish('/');
    expect(await whyOnce(delivered, 'delivered')).toMatchObject({
      sentence: expect.stringMatching(/^It was delivered at \S+Z: attempt 1 was answered 200\.$/),
    });
    const canceled = await publish('/', { 'svc-delay': '1h' });
    await callApi(server, 'DELETE', `/v2/messages/${canceled}`);
    expect(await why(canceled)).toMatchObject({ reason: 'canceled' });
    const failed = await publish('/fails', { 'svc-retries': '0' });
    const { remedy, sentence } = await whyOnce(failed, 'failed');
    expect(sentence).toMatch(/after 1 attempt; the last one was answered 500\.$/);
    const way = /^POST (\/v2\/dlq\/retry\/\S+) retries it\.$/.exec(String(remedy))?.[1] ?? '';
    expect(await callApi(server, 'POST', way)).toMatchObject({ status: 201 });
    // This has removed the letter, and with it the remedy.
    expect(await why(failed)).toEqual({ messageId: failed, reason: 'failed', sentence });
  });

  it('is not found if it never existed', async () => {
    const answered: Answer = await callApi(server, 'GET', '/v2/messages/msg_none/why');
    expect(answered).toMatchObject({ status: 404, body: { error: 'message msg_none not found' } });
  });
});
