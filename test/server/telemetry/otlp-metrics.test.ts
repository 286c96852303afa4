import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TelemetrySettings } from '../../../src/server/configuration/telemetry-settings.js';
import { MetricExporter } from '../../../src/server/telemetry/metric-exporter.js';
import { otlpMetrics, type ReadMetric } from '../../../src/server/telemetry/otlp-metrics.js';
import { isSampled } from '../../../src/server/telemetry/sampler.policy.js';
import { TestCollector } from '../../support/clients/collector.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer } from '../../support/server.js';

it('the metrics of OTLP are those of prom-client in other words', async () => {
  const registry = new Registry();
  const registers = [registry];
  const count = new Counter({ name: 'c_total', help: 'C.', labelNames: ['of'], registers });
  count.inc({ of: 'a' }, 2.5);
  new Gauge({ name: 'g', help: 'G.', registers }).set(-1);
  const times = new Histogram({ name: 'h', help: 'H.', buckets: [1, 2], registers });
  for (const value of [0.5, 1, 1.5, 9]) times.observe(value);
  const read = (await registry.getMetricsAsJSON()) as unknown[] as ReadMetric[];
  const sent = otlpMetrics(['service.name', 's'], read, { startedAt: 1, now: 2.5 });
  const [{ resource, scopeMetrics } = { resource: null, scopeMetrics: [] }] = sent.resourceMetrics;
  expect(resource).toEqual({
    attributes: [{ key: 'service.name', value: { stringValue: 's' } }],
  });
  const at = { startTimeUnixNano: '1000000', timeUnixNano: '2500000' };
  expect(scopeMetrics[0]?.metrics).toEqual([
    {
      name: 'c_total',
      description: 'C.',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          { attributes: [{ key: 'of', value: { stringValue: 'a' } }], ...at, asDouble: 2.5 },
        ],
      },
    },
    {
      name: 'g',
      description: 'G.',
      gauge: { dataPoints: [{ attributes: [], ...at, asDouble: -1 }] },
    },
    {
      name: 'h',
      description: 'H.',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            attributes: [],
            ...at,
            count: '4',
            sum: 12,
            explicitBounds: [1, 2],
            bucketCounts: ['2', '1', '1'],
          },
        ],
      },
    },
  ]);
});

it('the metrics of a server are sent regularly, with its name and headers', async () => {
  const collector = await TestCollector.start();
  const server = await startServer({
    environment: {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own/path`,
      OTEL_METRIC_EXPORT_INTERVAL: '20',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b',
      OTEL_SERVICE_NAME: 'orders',
    },
  });
  // The first ones may be sent while the server starts, and then lack those of later modules.
  const lag = '"name":"stepwell_delivery_lag_seconds"';
  const textOf = (body: unknown) => JSON.stringify(body);
  const withLag = () =>
    collector
      .bodies('/own/path')
      .map(textOf)
      .filter((text) => text.includes(lag));
  await collector.until(() => withLag().length >= 2);
  await server.remove();
  await collector.stop();
  const [first] = collector.requests;
  expect(first?.headers).toMatchObject({ 'api-key': 'a b', 'content-type': 'application/json' });
  expect(first?.headers['content-encoding']).toBe('gzip');
  const [text] = withLag();
  expect(text).toContain('{"key":"service.name","value":{"stringValue":"orders"}}');
  expect(text).toContain('"name":"process_cpu_seconds_total"');
});

it.each([
  [true, 0, 1, true],
  [true, 1, 0, false],
  [true, 0.5, null, true],
  [false, 1, 0, true],
  [false, 0, 1, false],
  [false, 0.49, null, false],
] as const)('a trace is recorded: parent-based %s, ratio %s, flags %s: %s', (...row) => {
  const [isParentBased, ratio, flags, expected] = row;
  const traceId = `${'0'.repeat(18)}80000000000000`;
  expect(isSampled({ isParentBased, ratio }, traceId, flags)).toBe(expected);
});

it('metrics are sent again after one that could not be read', async () => {
  const registry = new Registry();
  let isOut = true;
  new Gauge({
    name: 'g',
    help: 'G.',
    registers: [registry],
    collect() {
      if (isOut) throw new Error('EMFILE: too many open files');
      this.set(1);
    },
  });
  const clock = new ManualClock();
  const sent: number[] = [];
  const sender = { send: async (_message: object, count: number) => sent.push(count) };
  // The reading of these two values.
  const settings = { metricsEveryMs: 1000, resource: [] } as unknown as TelemetrySettings;
  const said: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void said.push(line[1]) };
  const exporter = new MetricExporter(sender, settings, registry, clock, log);
  exporter.start();
  for (const _ of [1, 2]) {
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    isOut = false;
  }
  expect(sent).toEqual([1]);
  expect(said).toEqual(['the metrics could not be read: the collector gets none']);
  await exporter.stop();
});
