/**
 * Where spans and metrics are sent, read from the variables common to all programs with
 * OpenTelemetry (the OpenTelemetry specification, "Environment Variable Specification"). Pure.
 */
import { ok, type Result, refused } from '../../grammar/result.js';

/** Which traces are recorded. */
export interface SamplerSettings {
  /**
   * If true, the sampled flag of an incoming trace decides, and `ratio` only for traces without
   * one.
   */
  readonly isParentBased: boolean;
  /** The fraction of traces that is recorded: 0 to 1. */
  readonly ratio: number;
}

/** Times in milliseconds. */
export interface TelemetrySettings {
  /** Absolute URLs; null = spans (or metrics) are not sent. */
  readonly tracesUrl: string | null;
  readonly metricsUrl: string | null;
  /** Names and values, alternating; sent with each request. */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** Whether bodies are sent as gzip. */
  readonly isCompressed: boolean;
  readonly metricsEveryMs: number;
  /** How many spans may wait to be sent; further ones are dropped. */
  readonly queueMax: number;
  /** How many spans one request may hold, and how long the first of them waits for others. */
  readonly batchMax: number;
  readonly batchEveryMs: number;
  readonly sampler: SamplerSettings;
  /** Attributes of the server as a whole: names and values, alternating. */
  readonly resource: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const samplers = new Map<string, { isParentBased: boolean; ratio: number | 'argument' }>([
  ['always_on', { isParentBased: false, ratio: 1 }],
  ['always_off', { isParentBased: false, ratio: 0 }],
  ['traceidratio', { isParentBased: false, ratio: 'argument' }],
  ['parentbased_always_on', { isParentBased: true, ratio: 1 }],
  ['parentbased_always_off', { isParentBased: true, ratio: 0 }],
  ['parentbased_traceidratio', { isParentBased: true, ratio: 'argument' }],
]);

const defaultResource = ['service.name', 'stepwell'];

/** null = nothing is sent. An empty value counts as unset, as the specification requires. */
export function readTelemetry(environment: Environment): Result<TelemetrySettings | null> {
  const text = (name: string) => environment[`OTEL_${name}`]?.trim() || null;
  const problems: string[] = [];
  const read = <Value>(name: string, result: Result<Value>, otherwise: Value): Value => {
    if (result.ok) return result.value;
    problems.push(`OTEL_${name} ${result.message}`);
    return otherwise;
  };
  const integer = (name: string, standard: number, most: number) =>
    read(name, wholeNumber(text(name), standard, most), standard);
  // The specification compares Boolean values without regard to case.
  const isDisabled = text('SDK_DISABLED')?.toLowerCase() === 'true';
  const url = (signal: string, path: string) => {
    if (isDisabled || text(`${signal}_EXPORTER`) === 'none') return null;
    const name = `EXPORTER_OTLP_${signal}_ENDPOINT`;
    const own = text(name);
    if (own !== null) return read(name, httpUrl(own, ''), null);
    const base = text('EXPORTER_OTLP_ENDPOINT');
    return base === null ? null : read('EXPORTER_OTLP_ENDPOINT', httpUrl(base, path), null);
  };
  const tracesUrl = url('TRACES', 'v1/traces');
  const metricsUrl = url('METRICS', 'v1/metrics');
  if (tracesUrl === null && metricsUrl === null && problems.length === 0) return ok(null);
  const service = text('SERVICE_NAME');
  const protocol = text('EXPORTER_OTLP_PROTOCOL') ?? 'http/json';
  if (!protocol.startsWith('http/')) {
    problems.push('OTEL_EXPORTER_OTLP_PROTOCOL is not http/json: OTLP is sent over HTTP, as JSON');
  }
  const compression = text('EXPORTER_OTLP_COMPRESSION') ?? 'gzip';
  if (compression !== 'gzip' && compression !== 'none') {
    problems.push('OTEL_EXPORTER_OTLP_COMPRESSION is neither gzip nor none');
  }
  const resource = read('RESOURCE_ATTRIBUTES', pairs(text('RESOURCE_ATTRIBUTES')), []);
  const settings: TelemetrySettings = {
    tracesUrl,
    metricsUrl,
    headers: read('EXPORTER_OTLP_HEADERS', pairs(text('EXPORTER_OTLP_HEADERS')), []),
    timeoutMs: integer('EXPORTER_OTLP_TIMEOUT', 10_000, 600_000),
    isCompressed: compression === 'gzip',
    metricsEveryMs: integer('METRIC_EXPORT_INTERVAL', 60_000, 86_400_000),
    queueMax: integer('BSP_MAX_QUEUE_SIZE', 2048, 1_000_000),
    batchMax: integer('BSP_MAX_EXPORT_BATCH_SIZE', 512, 10_000),
    batchEveryMs: integer('BSP_SCHEDULE_DELAY', 5000, 600_000),
    sampler: read('TRACES_SAMPLER', samplerOf(text), { isParentBased: true, ratio: 1 }),
    // A later value replaces an earlier one.
    resource: [...defaultResource, ...resource, ...(service ? ['service.name', service] : [])],
  };
  return problems.length > 0 ? refused(problems.join('\n')) : ok(settings);
}

function samplerOf(text: (name: string) => string | null): Result<SamplerSettings> {
  const name = text('TRACES_SAMPLER') ?? 'parentbased_always_on';
  const sampler = samplers.get(name);
  if (sampler === undefined) return refused(`is not one of ${[...samplers.keys()].join(', ')}`);
  const { isParentBased, ratio } = sampler;
  if (ratio !== 'argument') return ok({ isParentBased, ratio });
  const argument = Number(text('TRACES_SAMPLER_ARG') ?? '1');
  return argument >= 0 && argument <= 1
    ? ok({ isParentBased, ratio: argument })
    : refused('needs a number from 0 to 1 in OTEL_TRACES_SAMPLER_ARG');
}

function httpUrl(text: string, path: string): Result<string | null> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return refused('is not an http or https URL');
  if (path === '') return ok(url.href);
  return ok(`${url.href.replace(/\/*$/, '')}/${path}`);
}

function wholeNumber(text: string | null, standard: number, most: number): Result<number> {
  if (text === null) return ok(standard);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most
    ? ok(value)
    : refused(`is not a whole number from 1 to ${most}`);
}

/** `name=value,...`, values percent-encoded (W3C Baggage). */
function pairs(text: string | null): Result<readonly string[]> {
  const found: string[] = [];
  for (const item of (text ?? '').split(',')) {
    if (item.trim() === '') continue;
    const at = item.indexOf('=');
    const name = item.slice(0, at).trim();
    if (at < 1 || name === '') return refused('is not <name>=<value>,...');
    try {
      found.push(name, decodeURIComponent(item.slice(at + 1).trim()));
    } catch {
      return refused('has a value that is not valid percent-encoding');
    }
  }
  return ok(found);
}
