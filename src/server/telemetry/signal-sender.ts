/** Sends one signal to a collector, and sees to it that operators learn when it is not taken. */
import type { Logger } from 'pino';
import type { Signal, TelemetryMetrics } from '../metrics/telemetry.metrics.js';
import type { Collector } from './collector.js';

const complaints: Readonly<Record<Signal, string>> = {
  traces: 'the collector takes no spans: dropped',
  metrics: 'the collector takes no metrics',
};

/** One for each signal. `send` never rejects: what a collector does not take holds nothing up. */
export class SignalSender {
  private failing = false;

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

  /** Whether the collector has taken a message; a failure is counted. */
  async send(message: object): Promise<boolean> {
    try {
      await this.collector.send(this.url, message);
      this.failing = false;
    } catch (error) {
      this.metrics.failed(this.signal);
      // Said once, until it has taken something again.
      if (!this.failing) this.log.warn({ err: error }, complaints[this.signal]);
      this.failing = true;
    }
    return !this.failing;
  }
}
