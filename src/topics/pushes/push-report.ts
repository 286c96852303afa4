/** Reports pushes to operators: the number of records, and records that will never be pushed. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import type { SubscriptionPartitionEvent } from '../subscriptions/subscription-partition.events.js';

/** Counts durable events, so a push that is lost in a crash is counted only when it is repeated. */
@Injectable()
export class PushReport {
  readonly #records: Counter;

  constructor(
    registry: Registry,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.#records = new Counter({
      name: 'stepwell_subscription_records_total',
      help: 'Records that subscriptions pushed as messages, and offsets that they skipped.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of ['pushed', 'skipped']) this.#records.inc({ outcome }, 0);
  }

  /** Observes the events of partitions of subscriptions. */
  readonly listener: EventListener<SubscriptionPartitionEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type !== 'RecordsPushed') continue;
      const { records, skipped, until } = event;
      this.#records.inc({ outcome: 'pushed' }, records);
      this.#records.inc({ outcome: 'skipped' }, skipped);
      if (skipped === 0) continue;
      const skip = { partition: id, skipped, before: until };
      this.log.warn(skip, 'records were skipped: removed before they were pushed, or too large');
    }
  };
}
