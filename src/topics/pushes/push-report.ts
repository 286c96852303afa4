/** What operators see of pushes: how many records, and which never will be. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import type { SubscriptionPartitionEvent } from '../subscriptions/subscription-partition.events.js';

/**
 * Made of durable events, so that a push that a crash took back is counted when it is made again.
 */
@Injectable()
export class PushReport {
  readonly #records: Counter;

  constructor(
    registry: Registry,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.#records = new Counter({
      name: 'stepwell_subscription_records_total',
      help: 'Records that subscriptions made messages of, and offsets that they passed by.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of ['pushed', 'skipped']) this.#records.inc({ outcome }, 0);
  }

  /** Observes partitions of subscriptions. */
  readonly listener: EventListener<SubscriptionPartitionEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type !== 'RecordsPushed') continue;
      const { records, skipped, until } = event;
      this.#records.inc({ outcome: 'pushed' }, records);
      this.#records.inc({ outcome: 'skipped' }, skipped);
      if (skipped === 0) continue;
      const skip = { partition: id, skipped, before: until };
      this.log.warn(skip, 'records were not pushed: gone before their turn, or too large');
    }
  };
}
