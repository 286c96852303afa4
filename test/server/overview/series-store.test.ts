import { pino } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../../src/engine/clock.js';
import { MetricReader, quantileOf } from '../../../src/server/overview/metric-reader.js';
import { minuteMs, minutesMax, SeriesStore } from '../../../src/server/overview/series-store.js';
import { seriesTable } from '../../../src/server/overview/series-table.js';
import { ManualClock } from '../../support/manual-clock.js';

/**
 * All metrics of the table, as a server has them, with their types, which determine how they are
 * measured.
 */
function metrics() {
  const registry = new Registry();
  const registers = [registry];
  const histogram = (name: string) =>
    new Histogram({ name, help: name, buckets: [1, 2, 4], registers });
  const made = {
    published: new Counter({ name: 'stepwell_messages_published_total', help: 'x', registers }),
    lag: histogram('stepwell_delivery_lag_seconds'),
    pending: new Gauge({ name: 'stepwell_backlog_messages', help: 'x', registers }),
    attempts: new Counter({
      name: 'stepwell_attempts_total',
      help: 'x',
      labelNames: ['outcome'],
      registers,
    }),
  };
  const known = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  for (const { metric: name, measure } of Object.values(seriesTable)) {
    if (known.has(name)) continue;
    known.add(name);
    if (measure.how === 'quantile') histogram(name);
    else new Gauge({ name, help: name, registers });
  }
  return { registry, ...made };
}

const start = 1000 * minuteMs;
const silent = pino({ level: 'silent' });

async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}

test('a minute of a series has its increments, its last level and its quantiles', async () => {
  const clock = new ManualClock(start + 1);
  const { registry, published, lag, pending, attempts } = metrics();
  const store = new SeriesStore(new MetricReader(registry), clock, silent);
  store.start();
  published.inc(3);
  attempts.inc({ outcome: 'delivered' }, 2);
  attempts.inc({ outcome: 'failed' }, 5);
  pending.set(7);
  for (const value of [1, 1, 2, 4]) lag.observe(value);
  clock.advance(minuteMs);
  await settled();
  published.inc(2);
  pending.set(1);
  clock.advance(minuteMs);
  await settled();
  published.inc(10);
  const names = ['published', 'delivered', 'failed', 'pending', 'lagP50', 'lagP99'] as const;
  const { series, from } = await store.page(names, start, minuteMs);
  expect(from).toBe(start);
  expect(series).toEqual({
    published: [3, 2, 10],
    delivered: [2, 0, 0],
    failed: [5, 0, 0],
    pending: [7, 1, 1],
    lagP50: [1, null, null],
    lagP99: [expect.closeTo(3.92), null, null],
  });
  const wide = await store.page(['published', 'pending', 'lagP50'], start, 2 * minuteMs);
  expect(wide.series).toEqual({ published: [5, 10], pending: [1, 1], lagP50: [1, null] });
});

test.each([-1, 7])('a timer that rings %d ms late records the minute it ends', async (lateMs) => {
  const clock = new ManualClock(start + minuteMs / 2);
  const { registry, published, pending } = metrics();
  const late: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, callback) => clock.after(delayMs + lateMs, callback),
  };
  const store = new SeriesStore(new MetricReader(registry), late, silent);
  store.start();
  for (const count of [3, 2, 4]) {
    published.inc(count);
    pending.set(count);
    clock.advance(minuteMs);
    await settled();
  }
  published.inc(10);
  const { series } = await store.page(['published', 'pending'], start, minuteMs);
  expect(series).toEqual({ published: [3, 2, 4, 10], pending: [3, 2, 4, 4] });
  store.stop();
});

test('a minute is unknown if a metric could not be read, and the next one is known', async () => {
  const clock = new ManualClock(start);
  const { registry, published } = metrics();
  registry.removeSingleMetric('stepwell_resident_memory_bytes');
  let isOut = true;
  const rss = new Gauge({
    name: 'stepwell_resident_memory_bytes',
    help: 'x',
    registers: [registry],
    collect() {
      if (isOut) throw new Error('EMFILE: too many open files');
    },
  });
  rss.set(5);
  const said: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void said.push(line) });
  const store = new SeriesStore(new MetricReader(registry), clock, log);
  store.start();
  for (const _ of [1, 2]) {
    clock.advance(minuteMs);
    await settled();
  }
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('EMFILE: too many open files');
  expect(said[0]).toContain('/admin/series has no values for these minutes');
  isOut = false;
  published.inc(2);
  clock.advance(minuteMs);
  await settled();
  const { series } = await store.page(['published', 'residentBytes'], start, minuteMs);
  expect(series).toEqual({ published: [null, null, 2, 0], residentBytes: [null, null, 5, 5] });
  // What fails after it was well is said again.
  isOut = true;
  clock.advance(minuteMs);
  await settled();
  expect(said).toHaveLength(2);
  store.stop();
});

test('series keep one day and nothing older', async () => {
  const clock = new ManualClock(start);
  const { registry, published } = metrics();
  const store = new SeriesStore(new MetricReader(registry), clock, silent);
  store.start();
  for (let minute = 0; minute < minutesMax + 5; minute += 1) {
    published.inc(minute);
    clock.advance(minuteMs);
    await settled();
  }
  const { series } = await store.page(['published'], start, minuteMs);
  const points = series.published ?? [];
  expect(points.slice(0, 5)).toEqual([null, null, null, null, null]);
  expect(points.slice(5, minutesMax + 5)).toEqual(
    Array.from({ length: minutesMax }, (_, index) => index + 5),
  );
  store.stop();
});

test.each([
  [[1, 2, Number.POSITIVE_INFINITY], [0, 0, 0], 0.5, null],
  [[1, 2, Number.POSITIVE_INFINITY], [10, 10, 10], 0.5, 0.5],
  [[1, 2, Number.POSITIVE_INFINITY], [0, 10, 10], 0.5, 1.5],
  [[1, 2, Number.POSITIVE_INFINITY], [0, 0, 4], 0.99, 2],
])('the quantile of buckets %j with %j is right', (bounds, counts, quantile, expected) => {
  expect(quantileOf(bounds, counts, quantile)).toBe(expected);
});
