/** What operators see of attempts to deliver. */
import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

/** How an attempt to deliver ended; a cut one does not count as an attempt. */
export type AttemptEnd = 'delivered' | 'retried' | 'failed';

const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

@Injectable()
export class AttemptMetrics {
  readonly #attempts: Counter;
  readonly #seconds: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'stepwell_attempts_total',
      help: 'Attempts to deliver, by how they ended.',
      labelNames: ['outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'stepwell_attempt_seconds',
      help: 'Time of one attempt to deliver.',
      buckets: callSeconds,
      registers,
    });
  }

  ended(outcome: AttemptEnd, seconds: number): void {
    this.#attempts.inc({ outcome });
    this.#seconds.observe(seconds);
  }
}
