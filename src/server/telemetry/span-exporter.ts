/**
 * Sends spans in batches, one request at a time. Spans that a collector does not accept are dropped
 * and counted, as are those that come while the queue is full: a trace is worth less than the work
 * it shows.
 */
import type { Clock } from '../../engine/clock.js';
import type { Span, Tracer } from '../../messaging/tracing/span.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';
import type { TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import { otlpSpans } from './otlp-spans.js';
import { isSampled } from './sampler.policy.js';
import type { SignalSender } from './signal-sender.js';

/**
 * Takes spans while a collector is configured. `stop` sends what waits, within the time that a stop
 * of the process allows.
 */
export class SpanExporter implements Tracer {
  private queue: Span[] = [];
  private cancel: (() => void) | null = null;
  private sending: Promise<void> | null = null;

  constructor(
    private readonly sender: Pick<SignalSender, 'send' | 'isFailing'>,
    private readonly settings: TelemetrySettings,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly metrics: TelemetryMetrics,
  ) {}

  samples(traceId: string, flags: number | null): boolean {
    return isSampled(this.settings.sampler, traceId, flags);
  }

  add(span: Span): void {
    const { queueMax, batchMax, batchEveryMs } = this.settings;
    if (this.queue.length >= queueMax) {
      this.drop();
      return;
    }
    this.queue.push(span);
    // After a failure, a full batch waits for its time, too.
    if (this.queue.length >= batchMax && !this.sender.isFailing) this.flush();
    else this.cancel ??= this.clock.after(batchEveryMs, () => this.flush());
  }

  drop(): void {
    this.metrics.spans('dropped', 1);
  }

  /** Sends all waiting spans. */
  async stop(): Promise<void> {
    this.flush();
    while (this.sending !== null) await this.sending;
  }

  private flush(): void {
    this.cancel?.();
    this.cancel = null;
    if (this.sending !== null || this.queue.length === 0) return;
    const batch = this.queue.slice(0, this.settings.batchMax);
    this.queue = this.queue.slice(batch.length);
    this.sending = this.send(batch).then(() => {
      this.sending = null;
      if (this.queue.length === 0) return;
      if (this.sender.isFailing)
        this.cancel ??= this.clock.after(this.settings.batchEveryMs, () => this.flush());
      else this.flush();
    });
  }

  private async send(batch: readonly Span[]): Promise<void> {
    const message = otlpSpans(this.settings.resource, batch);
    const dropped = await this.sender.send(message, batch.length);
    this.metrics.spans('dropped', dropped);
    this.metrics.spans('sent', batch.length - dropped);
  }
}
