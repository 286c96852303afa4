/** Metrics of what is sent to a collector. */
import { Counter, type Registry } from 'prom-client';

/** What happened to a span. */
export type SpanOutcome = 'sent' | 'dropped';

/** The kinds of data that are sent. */
export type Signal = 'traces' | 'metrics';

/** Registered whether a collector is configured or not; without one, the values stay 0. */
export class TelemetryMetrics {
  readonly #spans: Counter;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#spans = new Counter({
      name: 'stepwell_otlp_spans_total',
      help: 'Spans, by outcome: accepted by the collector, or dropped.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['sent', 'dropped']) this.#spans.inc({ outcome }, 0);
    this.#failures = new Counter({
      name: 'stepwell_otlp_failures_total',
      help: 'Failed requests to the collector, by signal.',
      labelNames: ['signal'],
      registers,
    });
    for (const signal of ['traces', 'metrics']) this.#failures.inc({ signal }, 0);
  }

  /** `count` spans had this outcome. */
  spans(outcome: SpanOutcome, count: number): void {
    this.#spans.inc({ outcome }, count);
  }

  /** The collector did not accept a request, after all retries. */
  failed(signal: Signal): void {
    this.#failures.inc({ signal });
  }
}
