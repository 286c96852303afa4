import { request } from 'undici';
import { EventSource } from '../../support/clients/event-source.js';
import { callLog, consumed, produceTo } from '../../support/clients/log-client.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let endpoint: RecordingEndpoint;
let server: TestServer;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await server.remove();
  await endpoint.stop();
});

async function post(
  path: string,
  headers: Record<string, string> = {},
  body: unknown = '',
): Promise<void> {
  const sent = { authorization: server.bearer, ...headers };
  const answer = await request(`${server.url}${path}`, {
    method: 'POST',
    headers: sent,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
}

async function pausedQueue(queueName: string): Promise<void> {
  await post('/v2/queues', { 'content-type': 'application/json' }, { queueName, parallelism: 1 });
  await post(`/v2/queues/${queueName}/pause`);
}

/** The lines of metrics that begin with one of these names. */
async function lines(...names: readonly string[]): Promise<string[]> {
  const text = await (await request(`${server.url}/metrics`)).body.text();
  return text.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
}

/** Reads the metrics until the lines are as wanted. */
async function untilLines(names: readonly string[], wanted: readonly string[]): Promise<void> {
  for (;;) {
    const found = await lines(...names);
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('the longest queues are named, and all others are counted as one', async () => {
  server = await startServer({ environment: { STEPWELL_METRICS_NAMES: '1' } });
  for (const [queue, count] of [
    ['short', 1],
    ['long', 3],
    ['middle', 2],
  ] as const) {
    await pausedQueue(queue);
    for (let sent = 0; sent < count; sent += 1) {
      await post(`/v2/enqueue/${queue}/${endpoint.url}`);
    }
  }
  await untilLines(
    ['stepwell_longest_queue_messages', 'stepwell_blocked_queues', 'stepwell_queue_lag'],
    [
      'stepwell_blocked_queues 3',
      'stepwell_queue_lag_messages 6',
      'stepwell_longest_queue_messages{queue="long"} 3',
      'stepwell_longest_queue_messages{queue="(other)"} 3',
    ],
  );
  const [oldest = ''] = await lines('stepwell_oldest_waiting_seconds ');
  expect(Number(oldest.split(' ')[1])).toBeGreaterThan(0);
  await post('/v2/queues/long/resume');
  await untilLines(
    ['stepwell_longest_queue_messages', 'stepwell_blocked_queues'],
    [
      'stepwell_blocked_queues 2',
      'stepwell_longest_queue_messages{queue="middle"} 2',
      'stepwell_longest_queue_messages{queue="(other)"} 1',
    ],
  );
});

test('no names are shown if the setting says so; blocked keys are counted', async () => {
  server = await startServer({ environment: { STEPWELL_METRICS_NAMES: '0' } });
  await pausedQueue('secret');
  await post(`/v2/enqueue/secret/${endpoint.url}`);
  let release: (answer: object) => void = () => undefined;
  const held = new Promise<object>((resolve) => {
    release = resolve;
  });
  endpoint.answer(() => held);
  const limited = { 'svc-flow-control-key': 'tenant', 'svc-flow-control-value': 'parallelism=1' };
  for (let sent = 0; sent < 2; sent += 1) await post(`/v2/publish/${endpoint.url}`, limited);
  await untilLines(
    ['stepwell_longest_queue_messages', 'stepwell_blocked_flow_control_keys'],
    ['stepwell_blocked_flow_control_keys 1', 'stepwell_longest_queue_messages{queue="(other)"} 1'],
  );
  release({});
  await untilLines(['stepwell_blocked_flow'], ['stepwell_blocked_flow_control_keys 0']);
  const text = await (await request(`${server.url}/metrics`)).body.text();
  expect(text).not.toMatch(/secret|tenant/);
});

test('callbacks are counted by what they report', async () => {
  server = await startServer();
  endpoint.answer(({ url }) => ({ status: url === '/refuses' ? 500 : 200 }));
  const headers = {
    'svc-callback': `${endpoint.url}/callback`,
    'svc-failure-callback': `${endpoint.url}/failure`,
    'svc-retries': '0',
  };
  await post(`/v2/publish/${endpoint.url}/fine`, headers);
  await post(`/v2/publish/${endpoint.url}/refuses`, headers);
  await untilLines(
    ['stepwell_callbacks_total'],
    [
      'stepwell_callbacks_total{reports="attempt"} 2',
      'stepwell_callbacks_total{reports="failure"} 1',
    ],
  );
});

test('the groups that are farthest behind are named, and all others count as one', async () => {
  server = await startServer({ environment: { STEPWELL_METRICS_NAMES: '1' } });
  await produceTo(server, 'rides', 0, 'a');
  const earliest = { 'kafka-auto-offset-reset': 'earliest' };
  for (const group of ['near', 'far', 'mid']) {
    await consumed(server, `${group}/i`, 'rides', earliest);
    const place = [{ topic: 'rides', partition: 0, offset: 1 }];
    const { status } = await callLog(server, `/commit/${group}/i`, place);
    expect(status).toBe(200);
  }
  await produceTo(server, 'rides', 0, 'b', 'c', 'd');
  await callLog(server, '/commit/near/i', [{ topic: 'rides', partition: 0, offset: 4 }]);
  await callLog(server, '/commit/mid/i', [{ topic: 'rides', partition: 0, offset: 3 }]);
  await untilLines(
    ['stepwell_farthest_group_lag_records'],
    [
      'stepwell_farthest_group_lag_records{group="far"} 3',
      'stepwell_farthest_group_lag_records{group="(other)"} 1',
    ],
  );
});

test('open streams are counted by what they follow', async () => {
  server = await startServer();
  await produceTo(server, 'rides', 0, 'a');
  const { bearer: authorization, basic } = server;
  const streams = [
    await EventSource.open(`${server.url}/v2/live`, { authorization }),
    await EventSource.open(`${server.url}/admin/journal`, { authorization: basic }),
    await EventSource.open(`${server.url}/tail/rides`, { authorization: basic }),
  ];
  const counts = (open: number) =>
    ['run', 'topic', 'journal', 'live']
      .map((kind) => `stepwell_open_streams{kind="${kind}"} ${kind === 'run' ? 0 : open}`)
      .sort();
  expect((await lines('stepwell_open_streams')).sort()).toEqual(counts(1));
  for (const stream of streams) stream.cut();
  for (;;) {
    const found = (await lines('stepwell_open_streams')).sort();
    if (JSON.stringify(found) === JSON.stringify(counts(0))) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
