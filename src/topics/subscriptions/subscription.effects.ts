/** Subscriptions follow their topics: they grow with them, and are deleted with them. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAll } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { Topics } from '../topics/topic.entity.js';
import type { DeleteSubscription, GrowSubscription } from './subscription.commands.js';
import type { FollowTopic } from './subscription.decider.js';
import { Subscriptions } from './subscription.entity.js';
import { subscriptionKind } from './subscription.events.js';

/**
 * One instance for the server. When its effects start, it detects growth that happened while the
 * process was down.
 */
@Injectable()
export class TopicFollowers implements EffectCarrier<FollowTopic> {
  /** The running effects by subscription. */
  private readonly effects = new Map<string, FollowTopic>();

  constructor(
    private readonly engine: Engine,
    private readonly subscriptions: Subscriptions,
    private readonly topics: Topics,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource, effect: FollowTopic): () => void {
    this.effects.set(id, effect);
    this.look(id, effect);
    return () => this.effects.delete(id);
  }

  /** Handles a topic that was created or has grown. */
  grown(topic: string): void {
    for (const [id, effect] of this.effects) if (effect.topic === topic) this.look(id, effect);
  }

  /** Deletes the subscriptions of a deleted topic; resolves when they are gone. */
  async dropped(topic: string): Promise<void> {
    const commands: DeleteSubscription[] = [];
    for (const id of this.subscriptions.actors.ids()) {
      if (this.subscriptions.definitionOf(id)?.topic !== topic) continue;
      const cause = 'topicDeleted';
      commands.push({ type: 'DeleteSubscription', ...this.address(id), cause });
    }
    await dispatchAll(this.engine, commands);
  }

  private look(id: string, { topic, partitions: known }: FollowTopic): void {
    const partitions = this.topics.partitionsOf(topic);
    if (partitions <= known) return;
    const command: GrowSubscription = {
      type: 'GrowSubscription',
      ...this.address(id),
      partitions,
    };
    this.engine.dispatchAndForget([command]);
  }

  private address(id: string) {
    return { kind: subscriptionKind, id, at: this.clock.now() };
  }
}
