/** Sends all metrics of the process now and then. */
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import { UnreadMetrics } from '../../engine/metrics/unread-metrics.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';
import { otlpMetrics, type ReadMetric } from './otlp-metrics.js';
import type { SignalSender } from './signal-sender.js';

/** Sends one request at a time: the next one follows `metricsEveryMs` after the previous answer. */
export class MetricExporter {
  private readonly startedAt: number;
  private readonly unread: UnreadMetrics;
  private readonly sending: RepeatedWork;

  constructor(
    private readonly sender: Pick<SignalSender, 'send'>,
    private readonly settings: TelemetrySettings,
    private readonly registry: Registry,
    private readonly clock: Pick<Clock, 'after' | 'now'>,
    log: Pick<Logger, 'warn'>,
  ) {
    this.unread = new UnreadMetrics(log, 'the collector gets none');
    this.startedAt = clock.now();
    this.sending = new RepeatedWork(clock, settings.metricsEveryMs, () => this.send());
  }

  /** The first request is sent after `metricsEveryMs`. */
  start(): void {
    this.sending.start();
  }

  /** Sends the metrics a last time. */
  async stop(): Promise<void> {
    void this.sending.stop();
    await this.send();
  }

  private async send(): Promise<void> {
    const read = await this.read();
    if (read.length === 0) return;
    const times = { startedAt: this.startedAt, now: this.clock.now() };
    await this.sender.send(otlpMetrics(this.settings.resource, read, times), read.length);
  }

  /** Returns no metrics if one cannot be read now; the next export reads them again. */
  private async read(): Promise<readonly ReadMetric[]> {
    try {
      const all: unknown[] = await this.registry.getMetricsAsJSON();
      this.unread.succeeded();
      // The types of the registry describe less than its values contain.
      return all as ReadMetric[];
    } catch (error) {
      this.unread.failed(error);
      return [];
    }
  }
}
