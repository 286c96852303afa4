/** Carries out the triggers that schedules want: a few at once, the longest due first. */
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

/** How many triggers run at once: enough to share commits, few enough not to delay publishes. */
const atOnceMax = 16;

/**
 * Like `atOnceMax`, while very many attempts wait: 100,000 schedules of one minute then publish
 * about as fast as their messages leave, and a destination that hangs slows schedules down but
 * never stops them.
 */
const atOnceAmongManyMax = 2;

/** More waiting attempts than this are very many. */
const manyWaiting = 1000;

/** While new work is refused, triggers check again this often: they may be late, never lost. */
const checkAgainMs = 1000;
/** A failed trigger is tried again after this time. */
const tryAgainMs = 10_000;

/** An effect whose time has come. */
interface DueTrigger {
  readonly scheduleId: string;
  readonly effect: TriggerScheduleEffect;
  isWanted: boolean;
}

/**
 * All triggers missed while the server was down become one, which runs at the start. While there is
 * no room for new work, triggers wait.
 */
@Injectable()
export class ScheduleTriggers implements EffectCarrier<TriggerScheduleEffect> {
  /** Ordered so that the trigger that has been due for longest goes first. */
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
   * Puts a trigger in line. The returned function takes it out, or does nothing if it is already
   * being carried out.
   */
  start({ id }: EffectSource, effect: TriggerScheduleEffect): () => void {
    const trigger: DueTrigger = { scheduleId: id, effect, isWanted: true };
    this.take(trigger);
    return () => {
      trigger.isWanted = false;
    };
  }

  /** Starts no more triggers; resolves when those that are running have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      this.ended = resolve;
    });
  }

  private take(trigger: DueTrigger): void {
    this.due.push(trigger);
    this.proceed();
  }

  private proceed(): void {
    const max = this.gates.waiting > manyWaiting ? atOnceAmongManyMax : atOnceMax;
    while (this.due.length > 0 && this.running < max && !this.isStopped) {
      if (this.intake.refusal !== null) {
        this.readAgain();
        return;
      }
      const trigger = this.due.pop();
      if (trigger?.isWanted !== true) continue;
      this.running += 1;
      void this.run(trigger);
    }
  }

  private readAgain(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(checkAgainMs, () => {
      this.isLooking = false;
      this.proceed();
    });
  }

  private async run(trigger: DueTrigger): Promise<void> {
    const { scheduleId, effect } = trigger;
    try {
      await this.publisher.publish(scheduleId, effect);
    } catch (err) {
      this.log.error({ err, scheduleId }, 'a trigger of a schedule failed; it will be retried');
      this.clock.after(tryAgainMs, () => this.take(trigger));
    }
    this.running -= 1;
    this.proceed();
    if (this.running === 0) this.ended?.();
  }
}

function byDueTime(left: DueTrigger, right: DueTrigger): number {
  return left.effect.notBefore - right.effect.notBefore;
}
