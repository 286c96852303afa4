/** What operators see of deliveries that were held for the answer to the one before. */
import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** What ended the wait of a held delivery: the answer that it waited for, or the longest time. */
export type HoldEnd = 'answer' | 'limit';

@Injectable()
export class HeldDeliveryMetrics {
  readonly #held: Counter;

  constructor(registry: Registry) {
    this.#held = new Counter({
      name: 'stepwell_held_deliveries_total',
      help: 'Deliveries of runs that were held for the answer to the one before, by what ended it.',
      labelNames: ['until'],
      registers: [registry],
    });
  }

  letGo(until: HoldEnd, count: number): void {
    this.#held.inc({ until }, count);
  }
}
