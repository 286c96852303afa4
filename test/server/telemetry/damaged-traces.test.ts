/** A delivery whose place in a trace cannot be read: it is made, and nothing of it is traced. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../support/clients/api-call.js';
import { TestCollector } from '../../support/clients/collector.js';
import {
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../../support/clients/recording-endpoint.js';
import { flipByteOf } from '../../support/program/flipped-byte.js';
import { startServer } from '../../support/server.js';
import { asSdk, RunEndpoint } from '../../support/workflows/run-endpoint.js';

/** Fills the segment that the run began in, so that it is sealed. */
const filler = 'x'.repeat(6_000_000);

it('a call is retried although the start of its run, which has its trace, is damaged', async () => {
  const collector = await TestCollector.start();
  const third = await RecordingEndpoint.start();
  const dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-damaged-'));
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRICS_EXPORTER: 'none',
  };
  const start = () => startServer({ dataDirectory, environment });
  let server = await start();
  const endpoint = await RunEndpoint.start(server);
  let answer: (answer: ScriptedAnswer) => void = () => undefined;
  endpoint.answer(() => new Promise((resolve) => (answer = resolve)));
  third.answerInTurn({ status: 500 }, { status: 200 });

  await endpoint.init({}, 'the payload that rots');
  await endpoint.received(1);
  const headers = { ...endpoint.callHeaders(), 'svc-retries': '1', 'svc-retry-delay': '4000' };
  const called = await endpoint.batch({ destination: `${third.url}/x`, headers, body: 'B' });
  expect(called).toMatchObject({ status: 200, body: [{ messageId: expect.any(String) }] });
  answer(asSdk);
  await third.received(1);
  const path = '/v2/publish/http://127.0.0.1:19999/x';
  await callApi(server, 'POST', path, { 'svc-delay': '1h' }, filler);
  await server.stop();
  await flipByteOf('the payload that rots', dataDirectory);

  server = await start();
  const [, second] = await third.received(2);
  expect(second?.body.toString()).toBe('B');
  expect(second?.headers).not.toHaveProperty('traceparent');

  await server.stop();
  await endpoint.stop();
  await third.stop();
  await collector.stop();
  await rm(dataDirectory, { recursive: true });
}, 60_000);
