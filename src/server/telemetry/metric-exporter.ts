/** Sends all metrics of the process now and then. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';
import { otlpMetrics, type ReadMetric } from './otlp-metrics.js';
import type { SignalSender } from './signal-sender.js';

/** One request at a time: the next waits `metricsEveryMs` after the answer to the one before. */
export class MetricExporter {
  private readonly startedAt: number;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly sender: Pick<SignalSender, 'send'>,
    private readonly settings: TelemetrySettings,
    private readonly registry: Registry,
    private readonly clock: Pick<Clock, 'after' | 'now'>,
  ) {
    this.startedAt = clock.now();
  }

  /** The first request goes out after `metricsEveryMs`. */
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
    // The registry says less of their values than they have.
    const all = await this.registry.getMetricsAsJSON().catch(() => []);
    const read = all as unknown[] as ReadMetric[];
    // One that cannot be read now is read again the next time.
    if (read.length === 0) return;
    const times = { startedAt: this.startedAt, now: this.clock.now() };
    await this.sender.send(otlpMetrics(this.settings.resource, read, times), read.length);
  }
}
