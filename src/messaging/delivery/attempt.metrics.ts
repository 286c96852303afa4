/** Metrics of attempts to deliver. */
import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { type Tally, tallyCounter } from '../../engine/metrics/tallies.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { MessageEvent } from '../messages/message.events.js';

/** The outcome label of each event that ends an attempt. An attempt that is cut does not count. */
const ends = {
  MessageDelivered: 'delivered',
  AttemptFailed: 'retried',
  MessageFailed: 'failed',
} as const;

/** The state label of each event that ends a message. */
const finalStates = {
  MessageDelivered: 'delivered',
  MessageFailed: 'failed',
  MessageCanceled: 'canceled',
  // The run ended, so the delivery under way counts as delivered.
  MessageCompleted: 'delivered',
} as const;

/** The label for what a callback reports. */
const reported = { callback: 'attempt', failureCallback: 'failure' } as const;

const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Computed from durable events, so an attempt lost in a crash is counted when it is made again. */
@Injectable()
export class AttemptMetrics {
  /** Per outcome of an attempt: labels are sorted and joined once, not for each attempt. */
  readonly #attempts: Readonly<Record<keyof typeof ends, Tally>>;
  readonly #seconds: Histogram;
  readonly #lag: Histogram;
  readonly #published: Tally;
  /** Per type of the event that ended the message. */
  readonly #ended: Readonly<Partial<Record<MessageEvent['type'], Tally>>>;
  readonly #callbacks: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    const attempts = tallyCounter(registry, {
      name: 'stepwell_attempts_total',
      help: 'Delivery attempts, by outcome.',
      labelNames: ['outcome'],
    });
    for (const outcome of Object.values(ends)) attempts.inc({ outcome }, 0);
    this.#attempts = labeled(ends, (outcome) => attempts.tally({ outcome }));
    this.#seconds = new Histogram({
      name: 'stepwell_attempt_seconds',
      help: 'Duration of one delivery attempt.',
      buckets: callSeconds,
      registers,
    });
    this.#lag = new Histogram({
      name: 'stepwell_delivery_lag_seconds',
      help: 'Time from when an attempt was due to when it started.',
      buckets: callSeconds,
      registers,
    });
    this.#published = tallyCounter(registry, {
      name: 'stepwell_messages_published_total',
      help: 'Messages accepted.',
      labelNames: [],
    }).tally({});
    const ended = tallyCounter(registry, {
      name: 'stepwell_messages_ended_total',
      help: 'Messages that became final, by state.',
      labelNames: ['state'],
    });
    for (const state of Object.values(finalStates)) ended.inc({ state }, 0);
    this.#ended = labeled(finalStates, (state) => ended.tally({ state }));
    this.#callbacks = new Counter({
      name: 'stepwell_callbacks_total',
      help: 'Callbacks published, by what they report: an attempt or a failure.',
      labelNames: ['reports'],
      registers,
    });
    for (const reports of Object.values(reported)) this.#callbacks.inc({ reports }, 0);
  }

  /** Records that an attempt due at `dueAt` has begun; both are Unix milliseconds. */
  began(dueAt: number, at: number): void {
    this.#lag.observe(Math.max(0, at - dueAt) / 1000);
  }

  /** The events that `listener` observes. */
  readonly interest: Interest<MessageEvent> = {
    types: {
      MessagePublished: true,
      MessageDelivered: true,
      AttemptFailed: true,
      MessageFailed: true,
      MessageCanceled: true,
      MessageCompleted: true,
    },
  };

  /** Counts accepted messages and ended attempts. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const { event } of envelopes) {
      if (event.type === 'MessagePublished') {
        this.#published.count();
        const { callbackOf } = event;
        if (callbackOf !== null) this.#callbacks.inc({ reports: reported[callbackOf.kind] });
      }
      this.#ended[event.type]?.count();
      if (!('durationMs' in event)) continue;
      this.#attempts[event.type].count();
      this.#seconds.observe(event.durationMs / 1000);
    }
  };
}

/** One tally per type of event; types with the same value share it. */
function labeled<Type extends string>(
  values: Readonly<Record<Type, string>>,
  tallyOf: (value: string) => Tally,
): Readonly<Record<Type, Tally>> {
  const tallies = Object.entries<string>(values).map(([type, value]) => [type, tallyOf(value)]);
  return Object.fromEntries(tallies);
}
