import { request } from 'undici';
import { Metrics } from '../../../src/server/metrics/metrics.js';
import { startServer } from '../../support/server.js';

test('every metric is named stepwell_*', async () => {
  const metrics = new Metrics();
  metrics.watchBacklog(() => 7);
  metrics.watchWaiting(() => 5);
  metrics.watchActiveRuns(() => 3);
  metrics.runStarted();
  metrics.runEnded('failed');
  metrics.attemptEnded('delivered', 0.2);
  metrics.committed(3, 0.001);
  metrics.synced(0.001);
  const text = await metrics.text();
  metrics.close();
  const names = text.match(/^[a-z_]+(?=[{ ])/gm) ?? [];
  expect(names.filter((name) => !name.startsWith('stepwell_'))).toEqual([]);
  expect(text).toContain('stepwell_backlog_messages 7');
  expect(text).toContain('stepwell_waiting_attempts 5');
  expect(text).toContain('stepwell_active_runs 3');
  expect(text).toContain('stepwell_runs_started_total 1');
  expect(text).toContain('stepwell_runs_ended_total{outcome="failed"} 1');
  expect(text).toContain('stepwell_attempts_total{outcome="delivered"} 1');
  expect(text).toContain('stepwell_commit_group_records_sum 3');
  expect(text).toMatch(/^stepwell_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^stepwell_event_loop_delay_seconds\{percentile="99"\} \d/m);
});

test('the delays of the event loop are the same for each of two readers', async () => {
  let now = 0;
  const metrics = new Metrics({ monotonic: () => now });
  const longest = async () => {
    const text = await metrics.text();
    return Number(/^stepwell_event_loop_delay_seconds\{percentile="100"\} (.*)$/m.exec(text)?.[1]);
  };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(50);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await pause(50);
  const first = await longest();
  expect(first).toBeGreaterThan(0.2);
  expect(await longest()).toBeGreaterThanOrEqual(first);
  now = 60_000;
  expect(await longest()).toBeGreaterThanOrEqual(first);
  expect(await longest()).toBeGreaterThanOrEqual(first);
  now = 120_000;
  expect(await longest()).toBeGreaterThanOrEqual(first);
  metrics.close();
});

test('the heap is told beside its limit', async () => {
  const server = await startServer();
  const text = await (await request(`${server.url}/metrics`)).body.text();
  const told = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  expect(told('stepwell_heap_used_bytes')).toBeGreaterThan(1024 * 1024);
  expect(told('stepwell_heap_limit_bytes')).toBeGreaterThan(told('stepwell_heap_used_bytes'));
  await server.remove();
});

test('requests are counted by route pattern, never by path', async () => {
  const server = await startServer();
  await request(`${server.url}/health/live?x=1`);
  await request(`${server.url}/secret-path`);
  const { headers, body } = await request(`${server.url}/metrics`);
  const text = await body.text();
  expect(headers['content-type']).toMatch(/^text\/plain; version=/);
  expect(text).toContain(
    'stepwell_http_requests_total{method="GET",route="/health/live",status="200"} 1',
  );
  expect(text).toContain('{method="GET",route="unknown",status="401"} 1');
  expect(text).not.toContain('secret-path');
  await server.remove();
});
