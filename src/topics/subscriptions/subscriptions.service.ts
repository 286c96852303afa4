/** Creates, shows, pauses and deletes subscriptions for administrators. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { callerOf } from '../../http/identity/callers.js';
import type { RequestHead } from '../../http/request-head.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { Publisher } from '../../messaging/publishing/publisher.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import type { CreateSubscription, SubscriptionCommand } from './subscription.commands.js';
import { Subscriptions } from './subscription.entity.js';
import { subscriptionKind } from './subscription.events.js';
import type { SubscriptionRequest } from './subscription.request.js';
import { subscriptionObject, subscriptionPartitionObject } from './subscription-object.js';
import { SubscriptionPartitions } from './subscription-partition.entity.js';
import { subscriptionPartitionId } from './subscription-partition.events.js';
import { SubscriptionTargets } from './subscription-targets.js';
import type { SubscriptionObject } from './subscriptions.openapi.js';

/** A command without the subscription and the time, which are added later. */
type Unaddressed<Command> = Command extends SubscriptionCommand
  ? Omit<Command, 'kind' | 'id' | 'at'>
  : never;

/** A subscription that was made, and a warning about unknown options (messaging.md 3.9). */
export interface CreatedSubscription {
  readonly shown: SubscriptionObject;
  readonly warning: string | null;
}

/**
 * Used by its controller. Returns as values the refusals of the destination, the topic or the
 * decider.
 */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly partitions: SubscriptionPartitions,
    private readonly topics: TopicsService,
    private readonly topicLogs: TopicLogs,
    private readonly publisher: Publisher,
    private readonly targets: SubscriptionTargets,
    private readonly messages: Messages,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.past) private readonly past: PastMoment | null,
  ) {}

  /** Creates a subscription, and its topic too if topics are created automatically. */
  async create(
    { name, topic, destination, from, maxRecords, encoding }: SubscriptionRequest,
    request: RequestHead,
  ): Promise<CreatedSubscription | Refusal> {
    const by = callerOf(request);
    const read = this.publisher.readTemplate(destination, request);
    if (read instanceof Refusal) return read;
    const { url, topicName: groupName, message } = read.addressed;
    const targets = this.targets.of({ url, groupName });
    if (!targets.ok) return targets;
    // Checked before a topic is created for it; the decision itself checks again.
    if (this.subscriptions.has(name)) {
      return new Refusal('conflict', `subscription ${name} exists`);
    }
    const logs = await this.topics.forConsume(topic, by);
    if (logs instanceof Refusal) return logs;
    const command: Unaddressed<CreateSubscription> = {
      type: 'CreateSubscription',
      definition: { topic, url, groupName, maxRecords, encoding, message },
      positions: logs.map((log) => (from === 'latest' ? log.highWatermark : log.startOffset)),
    };
    const refusal = await this.carryOut(name, command, by);
    if (refusal !== null) return refusal;
    const shown = await this.show(name);
    return shown instanceof Refusal ? shown : { shown, warning: read.warning };
  }

  /** Carries out a command; null if it was accepted. */
  async carryOut(
    id: string,
    unaddressed: Unaddressed<SubscriptionCommand>,
    by: Principal | null,
  ): Promise<Refusal | null> {
    const at = this.clock.now();
    const command: SubscriptionCommand = { ...unaddressed, kind: subscriptionKind, id, at };
    const outcome = await this.subscriptions.ask(command, by);
    return outcome.ok ? null : outcome;
  }

  /** The object of a subscription; 404 if there is none with this name. */
  async show(name: string): Promise<SubscriptionObject | Refusal> {
    return (await this.object(name)) ?? new Refusal('not_found', `subscription ${name} not found`);
  }

  /** All subscriptions, by name. */
  async list(): Promise<readonly SubscriptionObject[]> {
    const names = [...this.subscriptions.actors.ids()].sort();
    const objects = await Promise.all(names.map((name) => this.object(name)));
    return objects.filter((object) => object !== undefined);
  }

  private async object(name: string): Promise<SubscriptionObject | undefined> {
    const topic = this.subscriptions.definitionOf(name)?.topic ?? '';
    const logs = await this.topicLogs.logs(topic);
    return this.subscriptions.shown(() => {
      const state = this.subscriptions.stateOf(name);
      const { definition, partitions: count } = state.context;
      if (definition === null) return undefined;
      const partitions = Array.from({ length: count }, (_, partition) =>
        this.partitionObject(
          name,
          { topic, partition },
          this.past === null ? logs?.[partition] : null,
        ),
      );
      return subscriptionObject(
        name,
        state,
        this.targets.of(definition),
        partitions.filter((each) => each !== undefined),
      );
    });
  }

  private partitionObject(
    subscription: string,
    place: { readonly topic: string; readonly partition: number },
    log: PartitionLog | undefined | null,
  ) {
    const id = subscriptionPartitionId({ subscription, partition: place.partition });
    const state = this.partitions.stateOf(id);
    if (state === null) return undefined;
    return subscriptionPartitionObject(place, state, log, (message) => this.messages.has(message));
  }
}
