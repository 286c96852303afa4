/** Metrics as an OTLP request (opentelemetry-proto, `ExportMetricsServiceRequest`). Pure. */
import { version } from '../../grammar/version.js';
import { otlpAttributes, otlpResource, otlpTime } from './otlp-json.js';

/** A metric as read from prom-client. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly metricName?: string;
  }[];
}

/** Times in Unix ms. */
export interface MetricTimes {
  readonly startedAt: number;
  readonly now: number;
}

/** `AGGREGATION_TEMPORALITY_CUMULATIVE`: since the process began. */
const cumulative = 2;

/** The body of `POST /v1/metrics`. Metrics without a value are left out. */
export function otlpMetrics(
  resource: readonly string[],
  metrics: readonly ReadMetric[],
  times: MetricTimes,
) {
  const scope = { name: 'stepwell', version };
  const filled = metrics.filter(({ values }) => values.length > 0);
  const scopeMetrics = [{ scope, metrics: filled.map((metric) => otlpMetric(metric, times)) }];
  return { resourceMetrics: [{ resource: otlpResource(resource), scopeMetrics }] };
}

function otlpMetric(metric: ReadMetric, times: MetricTimes) {
  const { name, help: description, type } = metric;
  const base = { name, description };
  if (type === 'histogram') {
    const dataPoints = histogramPoints(metric, times);
    return { ...base, histogram: { aggregationTemporality: cumulative, dataPoints } };
  }
  const dataPoints = metric.values.map(({ value, labels }) => ({
    attributes: otlpAttributes(known(labels)),
    ...sinceStart(times),
    asDouble: value,
  }));
  if (type !== 'counter') return { ...base, gauge: { dataPoints } };
  return {
    ...base,
    sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints },
  };
}

/** One point for each set of labels; prom-client's cumulative counts become counts per bucket. */
function histogramPoints({ values }: ReadMetric, times: MetricTimes) {
  const points = new Map<
    string,
    { labels: Labels; bounds: number[]; upTo: number[]; sum: number }
  >();
  for (const { value, labels, metricName = '' } of values) {
    const { le, ...own } = known(labels);
    const key = JSON.stringify(own);
    const point = points.get(key) ?? { labels: own, bounds: [], upTo: [], sum: 0 };
    points.set(key, point);
    if (metricName.endsWith('_sum')) point.sum = value;
    if (!metricName.endsWith('_bucket')) continue;
    if (le !== '+Inf') point.bounds.push(Number(le));
    point.upTo.push(value);
  }
  return [...points.values()].map(({ labels, bounds, upTo, sum }) => ({
    attributes: otlpAttributes(labels),
    ...sinceStart(times),
    count: String(upTo.at(-1) ?? 0),
    sum,
    explicitBounds: bounds,
    bucketCounts: upTo.map((count, index) => String(count - (upTo[index - 1] ?? 0))),
  }));
}

type Labels = Record<string, string | number>;

function known(labels: Readonly<Record<string, string | number | undefined>>): Labels {
  const found: Labels = {};
  for (const [name, value] of Object.entries(labels)) if (value !== undefined) found[name] = value;
  return found;
}

function sinceStart({ startedAt, now }: MetricTimes) {
  return { startTimeUnixNano: otlpTime(startedAt), timeUnixNano: otlpTime(now) };
}
