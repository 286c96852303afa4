import { Gauge, Registry } from 'prom-client';
import { request } from 'undici';
import { EngineMetrics } from '../../../src/engine/metrics/engine.metrics.js';
import { gauge } from '../../../src/engine/metrics/gauge.js';
import { AttemptMetrics } from '../../../src/messaging/delivery/attempt.metrics.js';
import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import { ProcessMetrics } from '../../../src/server/metrics/process.metrics.js';
import { RunMetrics } from '../../../src/workflows/active-runs/run.metrics.js';
import type { RunEvent } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { startServer } from '../../support/server.js';

test('metrics of every part of the server are in one text', async () => {
  const registry = new Registry();
  const processMetrics = new ProcessMetrics(registry, { monotonic: () => 0 });
  const engine = new EngineMetrics(registry, { monotonic: () => 0 });
  const runs = new RunMetrics(registry);
  gauge(registry, 'stepwell_backlog_messages', 'Messages accepted and not final.', () => 7);
  runs.listener([envelope<RunEvent>({ type: 'RunCanceled', canceled: [] })]);
  const end: MessageEvent = {
    type: 'MessageDelivered',
    attempt: 0,
    startedAt: 0,
    durationMs: 200,
    status: 200,
    headers: [],
    error: null,
  };
  new AttemptMetrics(registry).listener([envelope(end)]);
  engine.committing(3)();
  engine.syncing()();
  const text = await registry.metrics();
  processMetrics.close();
  expect(text).toContain('stepwell_backlog_messages 7');
  expect(text).toContain('stepwell_runs_started_total 0');
  expect(text).toContain('stepwell_runs_ended_total{outcome="canceled"} 1');
  expect(text).toContain('stepwell_attempts_total{outcome="delivered"} 1');
  expect(text).toContain('stepwell_commit_group_records_sum 3');
  expect(text).toMatch(/^stepwell_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^stepwell_event_loop_delay_seconds\{percentile="99"\} \d/m);
});

/** Every metric that a server exports, without labels and without the parts of histograms. */
const exported: readonly string[] = [
  'nodejs_external_memory_bytes',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_version_info',
  'process_cpu_seconds_total',
  'process_max_fds',
  'process_open_fds',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'stepwell_active_runs',
  'stepwell_archive_bytes',
  'stepwell_archive_disk_available_bytes',
  'stepwell_archive_disk_total_bytes',
  'stepwell_attempt_seconds',
  'stepwell_attempts_total',
  'stepwell_backlog_messages',
  'stepwell_backup_failures_total',
  'stepwell_backup_last_bytes',
  'stepwell_backup_last_failure_timestamp_seconds',
  'stepwell_backup_last_success_timestamp_seconds',
  'stepwell_blocked_flow_control_keys',
  'stepwell_blocked_queues',
  'stepwell_build_info',
  'stepwell_callbacks_total',
  'stepwell_cluster_applied_sequence',
  'stepwell_cluster_clock_skew_seconds',
  'stepwell_cluster_commit_seconds',
  'stepwell_cluster_digests_differed_total',
  'stepwell_cluster_digests_same_total',
  'stepwell_cluster_epoch',
  'stepwell_cluster_follower_behind',
  'stepwell_cluster_forwarded_requests_total',
  'stepwell_cluster_heard_seconds',
  'stepwell_cluster_held_bytes',
  'stepwell_cluster_place',
  'stepwell_cluster_role',
  'stepwell_cluster_sequence',
  'stepwell_commit_group_records',
  'stepwell_commit_seconds',
  'stepwell_connections',
  'stepwell_connections_refused_total',
  'stepwell_console_logins_total',
  'stepwell_consumer_groups',
  'stepwell_consumer_instances',
  'stepwell_cpu_seconds_total',
  'stepwell_dead_letters',
  'stepwell_delivery_lag_seconds',
  'stepwell_disk_available_bytes',
  'stepwell_disk_full',
  'stepwell_disk_total_bytes',
  'stepwell_event_loop_delay_seconds',
  'stepwell_failed_turns_total',
  'stepwell_farthest_group_lag_records',
  'stepwell_fsync_seconds',
  'stepwell_heap_limit_bytes',
  'stepwell_heap_used_bytes',
  'stepwell_held_deliveries_total',
  'stepwell_http_aborted_requests_total',
  'stepwell_http_request_seconds',
  'stepwell_http_requests_total',
  'stepwell_in_flight_bytes',
  'stepwell_in_flight_limit_bytes',
  'stepwell_in_flight_refusals_total',
  'stepwell_jobs',
  'stepwell_journal_archived_bytes_total',
  'stepwell_journal_bytes',
  'stepwell_journal_head_offset',
  'stepwell_journal_last_archive_timestamp_seconds',
  'stepwell_journal_last_sweep_seconds',
  'stepwell_journal_last_sweep_timestamp_seconds',
  'stepwell_journal_sweep_kept_records',
  'stepwell_journal_sweeps_failed_total',
  'stepwell_journal_swept_bytes_total',
  'stepwell_journal_swept_records_total',
  'stepwell_longest_queue_messages',
  'stepwell_messages_ended_total',
  'stepwell_messages_published_total',
  'stepwell_oldest_waiting_seconds',
  'stepwell_open_streams',
  'stepwell_otlp_failures_total',
  'stepwell_otlp_spans_total',
  'stepwell_queue_lag_messages',
  'stepwell_ready',
  'stepwell_rebalances_total',
  'stepwell_refused_reactions_total',
  'stepwell_refused_requests_total',
  'stepwell_resident_memory_bytes',
  'stepwell_retention_paused',
  'stepwell_runs_ended_total',
  'stepwell_runs_started_total',
  'stepwell_schedule_lateness_seconds',
  'stepwell_schedule_triggers_total',
  'stepwell_scrub_bytes_total',
  'stepwell_scrub_damaged_segments',
  'stepwell_scrub_last_pass_timestamp_seconds',
  'stepwell_scrub_segments_total',
  'stepwell_snapshot_bytes',
  'stepwell_snapshot_checks_failed_total',
  'stepwell_snapshot_last_seconds',
  'stepwell_snapshot_last_success_timestamp_seconds',
  'stepwell_snapshot_offset',
  'stepwell_snapshot_unfolded_bytes',
  'stepwell_snapshots_checked_total',
  'stepwell_snapshots_differed_total',
  'stepwell_snapshots_failed_total',
  'stepwell_snapshots_written_total',
  'stepwell_stalled_clients_total',
  'stepwell_subscription_records_total',
  'stepwell_topic_bytes',
  'stepwell_topic_damaged_ranges',
  'stepwell_topic_partitions',
  'stepwell_unreadable_messages',
  'stepwell_uptime_seconds',
  'stepwell_waiting_attempts',
  'stepwell_warnings',
];

test('a server exports exactly the metrics that operators know by name', async () => {
  const server = await startServer();
  const text = await (await request(`${server.url}/metrics`)).body.text();
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(exported);
  await server.remove();
});

test('schedules, ends of messages, the disk and the build are counted correctly', async () => {
  const server = await startServer();
  const headers = { authorization: server.bearer };
  const call = (method: 'POST' | 'DELETE', path: string, more = {}) =>
    request(`${server.url}${path}`, { method, headers: { ...headers, ...more } });
  const published = await call('POST', '/v2/publish/http://127.0.0.1:9000', { 'svc-delay': '1h' });
  const { messageId } = (await published.body.json()) as { messageId: string };
  await call('DELETE', `/v2/messages/${messageId}`);
  const cron = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'yearly', 'svc-delay': '1h' };
  await call('POST', '/v2/schedules/http://127.0.0.1:9000', cron);
  await call('POST', '/v2/schedules/yearly/trigger');
  const text = await (await request(`${server.url}/metrics`)).body.text();
  await server.remove();
  expect(text).toContain('stepwell_messages_ended_total{state="canceled"} 1\n');
  expect(text).toContain('stepwell_messages_ended_total{state="delivered"} 0\n');
  expect(text).toContain('stepwell_schedule_triggers_total{outcome="published"} 1\n');
  expect(text).toContain('stepwell_schedule_lateness_seconds_count 1\n');
  expect(text).toMatch(/^stepwell_build_info\{version="\d.*",build=".+",node="\d.*"\} 1$/m);
  for (const name of ['disk_available_bytes', 'disk_total_bytes', 'journal_bytes']) {
    expect(text).toMatch(new RegExp(`^stepwell_${name} [1-9]\\d*$`, 'm'));
  }
  expect(text).toMatch(/^stepwell_cpu_seconds_total 0*[1-9.]/m);
});

test('a counter begins at 0, as a rate would otherwise miss its first event', async () => {
  const server = await startServer();
  const text = await (await request(`${server.url}/metrics`)).body.text();
  await server.remove();
  const without = [...text.matchAll(/^# TYPE (stepwell_\w+_total) counter$/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(text));
  // Metrics of a cluster, which this server is not in, and metrics by route.
  expect(without.sort()).toEqual([
    'stepwell_cluster_forwarded_requests_total',
    'stepwell_http_requests_total',
  ]);
  expect(text).toContain('stepwell_runs_ended_total{outcome="failed"} 0\n');
});

test('two readers see the same delays of the event loop', async () => {
  let now = 0;
  const registry = new Registry();
  const metrics = new ProcessMetrics(registry, { monotonic: () => now });
  const longest = async () => {
    const text = await registry.metrics();
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

test('the metric of the used heap is accompanied by one of its limit', async () => {
  const server = await startServer();
  const text = await (await request(`${server.url}/metrics`)).body.text();
  const metric = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  expect(metric('stepwell_heap_used_bytes')).toBeGreaterThan(1024 * 1024);
  expect(metric('stepwell_heap_limit_bytes')).toBeGreaterThan(metric('stepwell_heap_used_bytes'));
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

test('clients that ask while an answer is being made share it', async () => {
  const server = await startServer();
  const registry = server.application.nest.get(Registry, { strict: false });
  let readings = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  new Gauge({
    name: 'slow',
    help: 'x',
    registers: [registry],
    async collect() {
      readings += 1;
      await released;
    },
  });
  let asked = 0;
  server.application.nest.getHttpServer().on('request', () => {
    asked += 1;
  });
  const texts = Array.from({ length: 5 }, async () => {
    const { body } = await request(`${server.url}/metrics`);
    return body.text();
  });
  while (asked < texts.length) await new Promise((resolve) => setImmediate(resolve));
  // What stands before a route takes no more than a few turns.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  release();
  expect(new Set(await Promise.all(texts)).size).toBe(1);
  expect(readings).toBe(1);
  await (await request(`${server.url}/metrics`)).body.dump();
  expect(readings).toBe(2);
  await server.remove();
});
