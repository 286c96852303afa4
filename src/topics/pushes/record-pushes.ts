/**
 * Runs the pushes of partitions: waits until the last messages are final and the next records
 * exist, and has the records published.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DamagedOffsets, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { Intake } from '../../http/intake.js';
import { Subscriptions } from '../subscriptions/subscription.entity.js';
import type { PushNext } from '../subscriptions/subscription-partition.decider.js';
import { SubscriptionTargets } from '../subscriptions/subscription-targets.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { MessageEnds } from './message-ends.js';
import { Push } from './push.js';
import { RecordPublisher } from './record-publisher.js';

/** How often a push checks again while nothing can be published. */
const checkAgainMs = 1000;
/** How long after a failure a push is tried again. */
const tryAgainMs = 10_000;

/**
 * One instance for the server. A failed push is logged and tried again; because records are pushed
 * in order, the following records wait for it.
 */
@Injectable()
export class RecordPushes implements EffectCarrier<PushNext> {
  private readonly running = new Map<Push, Promise<void>>();

  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly topicLogs: TopicLogs,
    private readonly ends: MessageEnds,
    private readonly targets: SubscriptionTargets,
    private readonly publisher: RecordPublisher,
    private readonly intake: Intake,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  /** Starts a push; the returned function stops it before it publishes. */
  start({ id }: EffectSource, effect: PushNext): () => void {
    const push = new Push(id, effect);
    const ended = this.run(push).finally(() => this.running.delete(push));
    this.running.set(push, ended);
    return () => push.stop();
  }

  /** Stops all pushes; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    for (const push of this.running.keys()) push.stop();
    await Promise.all(this.running.values());
  }

  private async run(push: Push): Promise<void> {
    await push.wait((wake) => this.ends.whenFinal(push.effect.after, wake));
    for (let from: number | null = push.effect.position; push.isWanted && from !== null; ) {
      try {
        from = await this.pushFrom(push, from);
      } catch (error) {
        // The topic was deleted, and its subscription with it; or the server is stopping.
        if (error instanceof LogClosed) return;
        this.failed(push, error);
        const delayMs = push.standsAt === null ? tryAgainMs : checkAgainMs;
        await push.wait((wake) => this.clock.after(delayMs, wake));
      }
    }
  }

  /**
   * Logs a failed push. A partition with damage at its position waits there until it is purged, and
   * is logged only once.
   */
  private failed(push: Push, err: unknown): void {
    const isDamage = err instanceof DamagedOffsets;
    if (!(isDamage && push.standsAt === err.offsets.from)) {
      this.log.error({ err, ...push.place }, 'a push failed; it will be retried');
    }
    push.standsAt = isDamage ? err.offsets.from : null;
  }

  /** Returns the offset to continue at; null = the records were pushed, or no more can come. */
  private async pushFrom(push: Push, from: number): Promise<number | null> {
    const readAgain = async () => {
      await push.wait((wake) => this.clock.after(checkAgainMs, wake));
      return from;
    };
    const definition = this.subscriptions.definitionOf(push.place.subscription);
    const logs = definition === null ? undefined : await this.topicLogs.logs(definition.topic);
    const log = logs?.[push.place.partition];
    if (definition === null || log === undefined) return readAgain();
    await push.wait((wake) => log.whenBeyond(from, wake));
    if (log.highWatermark <= from) return null;
    const targets = this.targets.of(definition);
    // A push that the intake does not admit now is delayed, never lost.
    if (!targets.ok || this.intake.refusal !== null) return readAgain();
    return this.publisher.publish(push, from, { definition, targets, log });
  }
}
