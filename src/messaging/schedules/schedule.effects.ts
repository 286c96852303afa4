/** When a schedule's effect to trigger is carried out: a few at once, the longest due first. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import TinyQueue from 'tinyqueue';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { Intake } from '../../http/intake.js';
import { Gates } from '../gates/gates.js';
import type { TriggerScheduleEffect } from './schedule.decider.js';
import { SchedulePublisher } from './schedule-publisher.js';

/** Triggers on their way at once: enough to share commits, few enough to hold no publish up. */
const atOnceMax = 16;

/**
 * The same while very many attempts wait: 100,000 schedules of one minute then publish about as
 * fast as their messages leave, and a destination that hangs slows schedules but never stops them.
 */
const atOnceAmongManyMax = 2;

/** So many attempts that wait are very many. */
const manyWaiting = 1000;

/** While new work is refused, triggers look again this often; one of them is late, never lost. */
const lookAgainMs = 1000;
/** A trigger that failed is tried again this much later. */
const tryAgainMs = 10_000;

/** An effect whose time has come. */
interface DueTrigger {
  readonly scheduleId: string;
  readonly effect: TriggerScheduleEffect;
  isWanted: boolean;
}

/**
 * Triggers that were missed while the server was down are one trigger, which comes with the start.
 * While there is no room for new work, triggers wait.
 */
@Injectable()
export class ScheduleTriggers implements EffectCarrier<TriggerScheduleEffect> {
  /** The trigger that has been due for longest goes first. */
  private readonly due = new TinyQueue<DueTrigger>([], byDueTime);
  private running = 0;
  private isLooking = false;
  private isStopped = false;
  private ended: (() => void) | null = null;

  constructor(
    private readonly publisher: SchedulePublisher,
    private readonly intake: Intake,
    private readonly gates: Gates,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  /**
   * Puts a trigger in line; what it answers takes it out, or does nothing where it is carried out.
   */
  start({ id }: EffectSource, effect: TriggerScheduleEffect): () => void {
    const trigger: DueTrigger = { scheduleId: id, effect, isWanted: true };
    this.take(trigger);
    return () => {
      trigger.isWanted = false;
    };
  }

  /** Starts no more; settles when those on their way have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      this.ended = resolve;
    });
  }

  private take(trigger: DueTrigger): void {
    this.due.push(trigger);
    this.carryOn();
  }

  private carryOn(): void {
    const max = this.gates.waiting > manyWaiting ? atOnceAmongManyMax : atOnceMax;
    while (this.due.length > 0 && this.running < max && !this.isStopped) {
      if (this.intake.take(0) !== null) {
        this.lookAgain();
        return;
      }
      const trigger = this.due.pop();
      if (trigger?.isWanted !== true) continue;
      this.running += 1;
      void this.run(trigger);
    }
  }

  private lookAgain(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(lookAgainMs, () => {
      this.isLooking = false;
      this.carryOn();
    });
  }

  private async run(trigger: DueTrigger): Promise<void> {
    const { scheduleId, effect } = trigger;
    try {
      await this.publisher.publish(scheduleId, effect);
    } catch (err) {
      this.log.error({ err, scheduleId }, 'a trigger failed; it will be tried again');
      this.clock.after(tryAgainMs, () => this.take(trigger));
    }
    this.running -= 1;
    this.carryOn();
    if (this.running === 0) this.ended?.();
  }
}

function byDueTime(left: DueTrigger, right: DueTrigger): number {
  return left.effect.notBefore - right.effect.notBefore;
}
