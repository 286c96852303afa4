/** Sends data to an OpenTelemetry collector; loaded only if one is configured. */
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { version } from '../../grammar/version.js';
import type { Tracer } from '../../messaging/tracing/span.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';
import { type Signal, TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import { Collector } from './collector.js';
import { MetricExporter } from './metric-exporter.js';
import { SignalSender } from './signal-sender.js';
import { SpanExporter } from './span-exporter.js';

/** How long a stop waits for the last requests. */
const stopDeadlineMs = 3000;

/** What telemetry needs from the server. */
export interface TelemetryPorts {
  readonly registry: Registry;
  readonly metrics: TelemetryMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly life: ProcessLife;
}

/** Starts sending; returns the tracer for spans, null if they are not sent. */
export function openTelemetry(
  configured: TelemetrySettings,
  { registry, metrics, clock, log, life }: TelemetryPorts,
): Tracer | null {
  const resource = ['service.version', version, ...configured.resource];
  const settings = { ...configured, resource };
  const { tracesUrl, metricsUrl } = settings;
  const collector = new Collector(settings, clock);
  const sender = (signal: Signal, url: string) =>
    new SignalSender(signal, url, collector, metrics, log);
  const spans =
    tracesUrl === null
      ? null
      : new SpanExporter(sender('traces', tracesUrl), settings, clock, metrics);
  const figures =
    metricsUrl === null
      ? null
      : new MetricExporter(sender('metrics', metricsUrl), settings, registry, clock, log);
  figures?.start();
  life.addStoppable({
    name: 'telemetry',
    phase: 'rest',
    deadlineMs: stopDeadlineMs,
    stop: async () => {
      await Promise.all([spans?.stop(), figures?.stop()]);
      await collector.close();
    },
    cut: () => void collector.close(),
  });
  return spans;
}
