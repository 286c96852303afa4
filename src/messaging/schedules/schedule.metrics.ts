/** Metrics of schedules: how often they trigger, how late, and how often they fail. */
import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { ScheduleEvent } from './schedule.events.js';

/** Buckets in seconds: a trigger is late by milliseconds, or by as long as the server was down. */
const lateSeconds = [0.01, 0.1, 0.5, 1, 5, 30, 60, 600, 3600, 86_400];

/** Computed from durable events. A manual trigger counts, too, and is never late. */
@Injectable()
export class ScheduleMetrics {
  readonly #triggers: Counter;
  readonly #late: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#triggers = new Counter({
      name: 'stepwell_schedule_triggers_total',
      help: 'Triggers of schedules, by outcome: published, or failed without publishing.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['published', 'failed']) this.#triggers.inc({ outcome }, 0);
    this.#late = new Histogram({
      name: 'stepwell_schedule_lateness_seconds',
      help: 'Time from when a schedule was due to when it triggered.',
      buckets: lateSeconds,
      registers,
    });
  }

  /** The events that `listener` observes. */
  readonly interest: Interest<ScheduleEvent> = { types: { ScheduleTriggered: true } };

  /** Counts triggers. */
  readonly listener: EventListener<ScheduleEvent> = (envelopes) => {
    for (const { event, at } of envelopes) {
      if (event.type !== 'ScheduleTriggered') continue;
      const isFailed = event.error !== null && event.messageIds.length === 0;
      this.#triggers.inc({ outcome: isFailed ? 'failed' : 'published' });
      this.#late.observe(Math.max(0, at - event.dueAt) / 1000);
    }
  };
}
