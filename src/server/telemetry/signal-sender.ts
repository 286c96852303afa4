/** Sends one signal to a collector, and reports to operators if it is not accepted. */
import type { Logger } from 'pino';
import type { Signal, TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import type { Collector } from './collector.js';

const complaints: Readonly<Record<Signal, string>> = {
  traces: 'the collector does not accept spans; they are dropped',
  metrics: 'the collector does not accept metrics',
};

const partialComplaints: Readonly<Record<Signal, string>> = {
  traces: 'the collector rejects some spans; they are dropped',
  metrics: 'the collector rejects some data points',
};

/** One instance per signal. `send` never rejects, so a failing collector delays nothing. */
export class SignalSender {
  private failing = false;
  private isPartial = false;

  constructor(
    private readonly signal: Signal,
    private readonly url: string,
    private readonly collector: Pick<Collector, 'send'>,
    private readonly metrics: TelemetryMetrics,
    private readonly log: Logger,
  ) {}

  /** Whether the latest message was not accepted. */
  get isFailing(): boolean {
    return this.failing;
  }

  /** Returns how many of the `count` items of a message were not accepted; counts a failure. */
  async send(message: object, count: number): Promise<number> {
    try {
      const rejection = await this.collector.send(this.url, message);
      this.failing = false;
      // Logged once, until a whole message is accepted again.
      if (rejection !== null && !this.isPartial) {
        this.log.warn({ rejection }, partialComplaints[this.signal]);
      }
      this.isPartial = rejection !== null;
      return Math.min(rejection?.count ?? 0, count);
    } catch (error) {
      this.metrics.failed(this.signal);
      // Logged once, until something is accepted again.
      if (!this.failing) this.log.warn({ err: error }, complaints[this.signal]);
      this.failing = true;
      return count;
    }
  }
}
