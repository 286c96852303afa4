/**
 * How a schedule's effect to trigger is carried out: read its definition back, look its destination
 * up, and publish, all as one turn with the trigger itself.
 */
import TinyQueue from 'tinyqueue';
import { dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { Command, EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { Payloads } from '../../engine/payloads.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { messageTargets } from '../url-groups/message-targets.js';
import { type UrlGroup, urlGroupKind } from '../url-groups/url-group.events.js';
import type { TriggerSchedule } from './schedule.commands.js';
import type { TriggerScheduleEffect } from './schedule.decider.js';
import { type ScheduleCreated, scheduleKind } from './schedule.events.js';
import { triggerMessages } from './trigger-commands.js';

/** Triggers on their way at once: enough to share commits, few enough to hold no publish up. */
const atOnceMax = 16;

/**
 * The same while attempts wait in crowds: 100,000 schedules of one minute then publish about as
 * fast as their messages leave, and a destination that hangs slows schedules but never stops them.
 */
const atOnceInCrowdMax = 2;

/** While new work is refused, whether it still is is asked this often. */
const lookAgainMs = 1000;
/** A trigger that failed is tried again this much later. */
const tryAgainMs = 10_000;

/** What a trigger works with. */
export interface TriggerContext {
  readonly engine: Engine;
  readonly payloads: Payloads;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Whether new work may come in; a trigger that may not is late, never lost. */
  readonly hasRoom: () => boolean;
  /** Whether many attempts wait to be let out. */
  readonly isCrowded: () => boolean;
  /** A trigger failed and will be tried again. */
  readonly failed: (error: unknown, scheduleId: string) => void;
}

/** An effect whose time has come. */
interface DueTrigger {
  readonly scheduleId: string;
  readonly effect: TriggerScheduleEffect;
  isWanted: boolean;
}

export class ScheduleTriggers implements EffectCarrier<TriggerScheduleEffect> {
  /** The trigger that has been due for longest goes first. */
  private readonly due = new TinyQueue<DueTrigger>([], byDueTime);
  private running = 0;
  private isLooking = false;
  private isStopped = false;
  private ended: (() => void) | null = null;

  constructor(private readonly context: TriggerContext) {}

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
    const max = this.context.isCrowded() ? atOnceInCrowdMax : atOnceMax;
    while (this.due.length > 0 && this.running < max && !this.isStopped) {
      if (!this.context.hasRoom()) {
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
    this.context.clock.after(lookAgainMs, () => {
      this.isLooking = false;
      this.carryOn();
    });
  }

  private async run(trigger: DueTrigger): Promise<void> {
    const { clock, failed } = this.context;
    try {
      await this.trigger(trigger);
    } catch (error) {
      failed(error, trigger.scheduleId);
      clock.after(tryAgainMs, () => this.take(trigger));
    }
    this.running -= 1;
    this.carryOn();
    if (this.running === 0) this.ended?.();
  }

  private async trigger({ scheduleId, effect }: DueTrigger): Promise<void> {
    const { engine, payloads, clock, identifiers } = this.context;
    const read = await payloads.read(effect.definitionOffset);
    const definition = read as EventEnvelope<ScheduleCreated>;
    const at = clock.now();
    const count = (messageIds: readonly string[], error: string | null): TriggerSchedule => ({
      type: 'TriggerSchedule',
      kind: scheduleKind,
      id: scheduleId,
      at,
      dueAt: effect.notBefore,
      definitionOffset: effect.definitionOffset,
      messageIds,
      error,
    });
    const { url, topicName } = definition.event;
    const targets = messageTargets(url, topicName, (name) => this.findGroup(name));
    if (!targets.ok) {
      await engine.dispatch([count([], targets.error)]);
      return;
    }
    const seed = identifiers.turnSeed(at);
    const messages = triggerMessages(definition, targets, at, (index) => `msg_${seed}${index}`);
    const counted = count(
      messages.map(({ id }) => id),
      null,
    );
    const refusal = await this.publish([...messages, counted]);
    if (refusal !== null) await engine.dispatch([count([], refusal)]);
  }

  /**
   * Why it was refused; null = it was not. A group of hundreds takes several turns of one tick: the
   * trigger counts with the last one, so a crash in between repeats messages and loses none.
   */
  private async publish(commands: readonly Command[]): Promise<string | null> {
    for (const outcome of await dispatchAtOnce(this.context.engine, commands, true)) {
      if (!outcome.accepted) return outcome.rejection.message;
    }
    return null;
  }

  private findGroup(name: string): UrlGroup | undefined {
    return this.context.engine.actors(urlGroupKind).find(name)?.state as UrlGroup | undefined;
  }
}

function byDueTime(left: DueTrigger, right: DueTrigger): number {
  return left.effect.notBefore - right.effect.notBefore;
}
