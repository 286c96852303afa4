import { readTelemetry } from '../../../src/server/configuration/telemetry-settings.js';

const usual = {
  headers: [],
  timeoutMs: 10_000,
  metricsEveryMs: 60_000,
  queueMax: 2048,
  batchMax: 512,
  batchEveryMs: 5000,
  isCompressed: true,
  sampler: { isParentBased: true, ratio: 1 },
  resource: ['service.name', 'stepwell'],
};

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each([
  [{}],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'True' }],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is sent with %j', (environment) => {
  expect(readTelemetry(environment)).toEqual({ ok: true, value: null });
});

it('both signals are sent to paths below one endpoint', () => {
  const value = {
    ...usual,
    tracesUrl: 'http://127.0.0.1:4318/v1/traces',
    metricsUrl: 'http://127.0.0.1:4318/v1/metrics',
  };
  expect(readTelemetry(endpoint)).toEqual({ ok: true, value });
});

it.each([
  [{ OTEL_TRACES_EXPORTER: 'none' }, { tracesUrl: null }],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'none' }, { isCompressed: false }],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.test/x' }, { tracesUrl: 'https://t.test/x' }],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, { sampler: { isParentBased: false, ratio: 0 } }],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { sampler: { isParentBased: true, ratio: 0.25 } },
  ],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%2C, c = d' }, { headers: ['a', 'b,', 'c', 'd'] }],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: '7' }, { queueMax: 7 }],
  [
    { OTEL_RESOURCE_ATTRIBUTES: 'zone=a', OTEL_SERVICE_NAME: 'orders' },
    { resource: ['service.name', 'stepwell', 'zone', 'a', 'service.name', 'orders'] },
  ],
  [
    { OTEL_RESOURCE_ATTRIBUTES: 'service.name=orders' },
    { resource: ['service.name', 'stepwell', 'service.name', 'orders'] },
  ],
])('%j means %j', (environment, expected) => {
  const read = readTelemetry({ ...endpoint, ...environment });
  expect(read).toMatchObject({ ok: true, value: expected });
});

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER'],
  [{ OTEL_TRACES_SAMPLER: 'constructor' }, 'OTEL_TRACES_SAMPLER'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, 'TRACES_SAMPLER_ARG'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'OTEL_EXPORTER_OTLP_COMPRESSION'],
])('%j is refused', (environment, variable) => {
  const read = readTelemetry({ ...endpoint, ...environment });
  expect(read).toMatchObject({ ok: false, message: expect.stringContaining(variable) });
});
