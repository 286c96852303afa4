import { createWorkflow } from '@upstash/workflow/cloudflare';
import { request } from 'undici';
import { type TakenSpan, TestCollector } from '../../support/clients/collector.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';
import { WorkflowApp } from '../../support/workflows/workflow-app.js';

silenceConsole();

const order = createWorkflow(async (context) => {
  await context.run('charge', () => 12);
  await context.sleep('nap', 1);
  await context.waitForEvent('wait', `paid-${context.workflowRunId}`, { timeout: '1h' });
  await context.run('thank', () => 'done');
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${parentId}-01` };
const unsampled = { traceparent: `00-${traceId}-${parentId}-00` };

let collector: TestCollector;
let endpoint: RecordingEndpoint;
let server: TestServer;
let collectorUrl: string;

async function start(environment: Record<string, string> = {}): Promise<void> {
  server = await startServer({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_METRICS_EXPORTER: 'none',
      ...environment,
    },
  });
}

beforeEach(async () => {
  collector = await TestCollector.start();
  collectorUrl = collector.url;
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await server.remove();
  await endpoint.stop();
  await collector.stop();
});

async function publish(path: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await request(`${server.url}/v2/publish/${endpoint.url}${path}`, {
    method: 'POST',
    headers: { authorization: server.bearer, ...headers },
  });
  const { messageId } = (await answer.body.json()) as { messageId: string };
  return messageId;
}

const ofMessage = (spans: readonly TakenSpan[], id: string) =>
  spans.filter(({ attributes }) => attributes['messaging.message.id'] === id);

const named = (spans: readonly TakenSpan[], name: string) =>
  spans.filter((span) => span.name === name);

async function droppedSpans(): Promise<number> {
  const text = await (await request(`${server.url}/metrics`)).body.text();
  return Number(/^stepwell_otlp_spans_total\{outcome="dropped"\} (\d+)$/m.exec(text)?.[1]);
}

it('a publish is shown as one trace, from another program to the destination', async () => {
  await start();
  endpoint.answerInTurn({ status: 503 }, {});
  const id = await publish('/hook', { ...sampled, 'svc-delay': '1s', 'svc-retry-delay': '10' });
  const spans = ofMessage(
    await collector.until((all) => named(ofMessage(all, id), 'attempt').length === 2),
    id,
  );
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const [published] = named(spans, 'publish');
  expect(published?.parentSpanId).toBe(parentId);
  const others = spans.filter(({ name }) => name !== 'publish');
  expect(others.every(({ parentSpanId }) => parentSpanId === published?.spanId)).toBe(true);
  expect(named(spans, 'delay')).toHaveLength(1);
  const [delay] = named(spans, 'delay');
  expect(delay && delay.end - delay.start).toBe(1_000_000_000n);
  const [first, second] = named(spans, 'attempt');
  expect(first?.status).toEqual({ code: 2, message: 'HTTP 503' });
  expect(second?.status).toEqual({});
  expect(first?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 503,
    'server.port': endpoint.port,
    'stepwell.attempt': 0,
  });
  // The headers that the destination was sent name the attempt.
  const sent = endpoint.requests.map(({ headers }) => headers['traceparent']);
  expect(sent).toEqual([first, second].map((span) => `00-${traceId}-${span?.spanId}-01`));
  expect(JSON.stringify(collector.bodies('/v1/traces'))).not.toContain('/hook');
});

it('a publish that brings no trace begins one, and a callback belongs to it', async () => {
  await start();
  const id = await publish('/fine', { 'svc-callback': `${endpoint.url}/callback` });
  const spans = await collector.until((all) => named(all, 'attempt').length === 2);
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  const [source, callback] = named(spans, 'publish');
  expect(source?.attributes['messaging.message.id']).toBe(id);
  expect(source?.parentSpanId).toBeNull();
  expect(callback?.parentSpanId).toBe(source?.spanId);
  const ids = endpoint.requests.map(({ headers }) => headers['traceparent']?.slice(3, 35));
  expect(ids).toEqual([source?.traceId, source?.traceId]);
});

it('the attempt of a message that is canceled during its delivery ends', async () => {
  await start();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  endpoint.answer(() => held.then(() => ({})));
  const id = await publish('/slow');
  await endpoint.received(1);
  const headers = { authorization: server.bearer };
  await request(`${server.url}/v2/messages/${id}`, { method: 'DELETE', headers });
  const spans = await collector.until((all) => named(ofMessage(all, id), 'attempt').length === 1);
  answer();
  const [attempt] = named(ofMessage(spans, id), 'attempt');
  expect(attempt?.status).toEqual({ code: 2, message: 'the message was canceled' });
});

it('a trace that another program does not record is not recorded, but passed on', async () => {
  await start();
  await publish('/unsampled', unsampled);
  const id = await publish('/own');
  await collector.until((all) => named(ofMessage(all, id), 'attempt').length === 1);
  expect(collector.spans.some((span) => span.traceId === traceId)).toBe(false);
  const [quiet] = endpoint.requests.filter(({ url }) => url === '/unsampled');
  expect(quiet?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
});

it('the sampler decides: a ratio of 0 records nothing and adds no header', async () => {
  await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  await publish('/none');
  await publish('/brought', sampled);
  await endpoint.received(2);
  const [none] = endpoint.requests.filter(({ url }) => url === '/none');
  expect(none?.headers['traceparent']).toBeUndefined();
  await server.stop();
  expect(collector.requests).toEqual([]);
});

it('a run is shown as one trace with its steps', async () => {
  await start();
  const app = await WorkflowApp.start(server, { order });
  const runId = await app.trigger('order');
  await app.client.notify({ eventId: `paid-${runId}`, eventData: {}, workflowRunId: runId });
  const spans = await collector.until((all) => named(all, 'run').length === 1);
  await app.stop();
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  const [run] = named(spans, 'run');
  expect(run?.attributes).toEqual({
    'stepwell.run.id': runId,
    'stepwell.run.outcome': 'succeeded',
  });
  const parts = spans.filter((span) => span !== run);
  expect(parts.every(({ parentSpanId }) => parentSpanId === run?.spanId)).toBe(true);
  expect(parts.every(({ start: began }) => run !== undefined && began >= run.start)).toBe(true);
  const steps = parts.filter(({ name }) => name.startsWith('step ')).map(({ name }) => name);
  expect(steps).toEqual(['step charge', 'step nap', 'step wait', 'step thank']);
  expect(named(parts, 'attempt').length).toBeGreaterThanOrEqual(4);
  const [nap] = named(parts, 'delay');
  expect(nap && nap.end - nap.start).toBe(1_000_000_000n);
  const ids = app.deliveries.map(({ headers }) => headers['traceparent']?.slice(3, 35));
  expect(new Set(ids)).toEqual(new Set([run?.traceId]));
});

it('a parallel step begins with the delivery in which it was done', async () => {
  await start();
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  let slowIsAtWork = false;
  const parallel = createWorkflow(async (context) => {
    await Promise.all([
      context.run('quick', () => until(() => slowIsAtWork)),
      context.run('slow', async () => {
        slowIsAtWork = true;
        // The first call, one for each step, and the one that the result of `quick` causes.
        await until(() => app.deliveries.length === 4);
      }),
    ]);
  });
  const app = await WorkflowApp.start(server, { parallel });
  await app.trigger('parallel');
  const spans = await collector.until((all) => named(all, 'run').length === 1);
  await app.stop();
  const [quick] = named(spans, 'step quick');
  const [slow] = named(spans, 'step slow');
  expect(quick && slow && slow.start < quick.end).toBe(true);
  expect(quick && slow && slow.end > quick.end).toBe(true);
});

it('nothing is sent again when a restart replays events', async () => {
  await start();
  const id = await publish('/once');
  await collector.until((all) => named(ofMessage(all, id), 'attempt').length === 1);
  const { dataDirectory } = server;
  await server.stop();
  const before = collector.spans.length;
  server = await startServer({
    dataDirectory,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  });
  const later = await publish('/later');
  await collector.until((all) => named(ofMessage(all, later), 'attempt').length === 1);
  expect(ofMessage(collector.spans, id)).toHaveLength(before);
});

it('messages are delivered if the collector is gone, and dropped spans are counted', async () => {
  await collector.stop();
  await start({ OTEL_BSP_MAX_QUEUE_SIZE: '4', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2' });
  for (let count = 0; count < 20; count += 1) await publish(`/${count}`);
  await endpoint.received(20);
  while ((await droppedSpans()) < 20) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(endpoint.requests).toHaveLength(20);
});

it('spans that the collector rejects are counted as dropped', async () => {
  const partialSuccess = { rejectedSpans: '1', errorMessage: 'too old' };
  const advice = { rejectedSpans: '0', errorMessage: 'use another port' };
  collector.answerInTurn(
    { body: JSON.stringify({ partialSuccess }) },
    { body: JSON.stringify({ partialSuccess: advice }) },
  );
  await start();
  await publish('/first');
  while ((await droppedSpans()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const id = await publish('/second');
  await collector.until((all) => named(ofMessage(all, id), 'attempt').length === 1);
  expect(await droppedSpans()).toBe(1);
});

it.each([
  [{ status: 503 }, 2],
  [{ status: 429, headers: { 'retry-after': '0' } }, 2],
  [{ status: 503, headers: { 'retry-after': '60' } }, 1],
  [{ status: 400 }, 1],
])('after %j a batch is sent so many times: %i', async (first, times) => {
  collector.answerInTurn(first, {});
  await start({ OTEL_EXPORTER_OTLP_COMPRESSION: 'none' });
  const id = await publish('/hook');
  const of = (all: readonly TakenSpan[]) => named(ofMessage(all, id), 'publish');
  const spans = await collector.until((all) => of(all).length === times);
  expect(collector.requests[0]?.headers['content-encoding']).toBeUndefined();
  // A span that is sent twice has one id.
  expect(new Set(of(spans).map(({ spanId }) => spanId)).size).toBe(1);
  while ((await droppedSpans()) === 0 && times === 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await droppedSpans()) > 0).toBe(times === 1);
});
