/** Sends one signal to a collector, and sees to it that operators learn when it is not taken. */
import type { Logger } from 'pino';
import type { Signal, TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import type { Collector } from './collector.js';

const complaints: Readonly<Record<Signal, string>> = {
  traces: 'the collector takes no spans: dropped',
  metrics: 'the collector takes no metrics',
};

const partialComplaints: Readonly<Record<Signal, string>> = {
  traces: 'the collector rejects some spans: dropped',
  metrics: 'the collector rejects some data points',
};

/** One for each signal. `send` never rejects: what a collector does not take holds nothing up. */
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

  /** Whether the latest message was not taken. */
  get isFailing(): boolean {
    return this.failing;
  }

  /** How many of the `count` items of a message were not taken; a failure is counted. */
  async send(message: object, count: number): Promise<number> {
    try {
      const rejection = await this.collector.send(this.url, message);
      this.failing = false;
      // Said once, until it has taken all of a message again.
      if (rejection !== null && !this.isPartial) {
        this.log.warn({ rejection }, partialComplaints[this.signal]);
      }
      this.isPartial = rejection !== null;
      return Math.min(rejection?.count ?? 0, count);
    } catch (error) {
      this.metrics.failed(this.signal);
      // Said once, until it has taken something again.
      if (!this.failing) this.log.warn({ err: error }, complaints[this.signal]);
      this.failing = true;
      return count;
    }
  }
}
