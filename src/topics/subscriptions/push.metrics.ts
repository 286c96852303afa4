/** What operators see of subscriptions. */
import { Counter, type Registry } from 'prom-client';

export class PushMetrics {
  readonly #records: Counter;

  constructor(registry: Registry) {
    this.#records = new Counter({
      name: 'stepwell_subscription_records_total',
      help: 'Records that subscriptions made messages of, and offsets that they passed by.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** `skipped` are offsets that no message was made of. */
  pushed(records: number, skipped: number): void {
    this.#records.inc({ outcome: 'pushed' }, records);
    this.#records.inc({ outcome: 'skipped' }, skipped);
  }
}
