/** Sends all metrics of the process now and then. */
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';
import type { TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import type { Collector } from './collector.js';
import { otlpMetrics, type ReadMetric } from './otlp-metrics.js';

export class MetricExporter {
  private readonly startedAt: number;
  private cancel: () => void = () => undefined;
  private isFailing = false;

  constructor(
    private readonly url: string,
    private readonly settings: TelemetrySettings,
    private readonly collector: Pick<Collector, 'send'>,
    private readonly registry: Registry,
    private readonly clock: Pick<Clock, 'after' | 'now'>,
    private readonly metrics: TelemetryMetrics,
    private readonly log: Logger,
  ) {
    this.startedAt = clock.now();
  }

  start(): void {
    this.cancel = this.clock.after(this.settings.metricsEveryMs, () => {
      void this.send().then(() => this.start());
    });
  }

  /** Sends them a last time. */
  async stop(): Promise<void> {
    this.cancel();
    await this.send();
  }

  private async send(): Promise<void> {
    try {
      const read = (await this.registry.getMetricsAsJSON()) as unknown[] as ReadMetric[];
      const times = { startedAt: this.startedAt, now: this.clock.now() };
      await this.collector.send(this.url, otlpMetrics(this.settings.resource, read, times));
      this.isFailing = false;
    } catch (error) {
      this.metrics.failed('metrics');
      if (!this.isFailing) this.log.warn({ err: error }, 'the collector takes no metrics');
      this.isFailing = true;
    }
  }
}
