/** Creates, shows, pauses and deletes subscriptions for who administers them. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type { MessageTemplate } from '../../messaging/messages/message.events.js';
import type { MessageTargets } from '../../messaging/url-groups/message-targets.js';
import type { TopicAccess } from '../topics/topic-access.js';
import type { CreateSubscription, SubscriptionCommand } from './subscription.commands.js';
import { type SubscriptionDefinition, subscriptionKind } from './subscription.events.js';
import type { SubscriptionState } from './subscription.machine.js';
import type { SubscriptionRequest } from './subscription.request.js';
import { subscriptionObject, subscriptionPartitionObject } from './subscription-object.js';
import type { PartitionState } from './subscription-partition.decider.js';
import {
  subscriptionPartitionId,
  subscriptionPartitionKind,
} from './subscription-partition.events.js';
import type { SubscriptionObject } from './subscriptions.openapi.js';

/** What the service works with. */
export interface SubscriptionsContext {
  readonly engine: Engine;
  readonly topics: Pick<TopicAccess, 'forConsume' | 'logs'>;
  readonly clock: Clock;
  /** What a request's headers say of the messages, and where they go: a URL or a URL group. */
  readTemplate(destination: string, request: IncomingMessage): Addressed | Refusal;
  targetsOf(definition: Pick<SubscriptionDefinition, 'url' | 'groupName'>): MessageTargets;
  isPending(messageId: string): boolean;
}

/** Messages and their destination, in the words of publishing: a topic is a URL group there. */
interface Addressed {
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** A command to which the subscription and the time are still to be added. */
type Asked<Command> = Command extends SubscriptionCommand
  ? Omit<Command, 'kind' | 'id' | 'at'>
  : never;

export class SubscriptionsService {
  constructor(private readonly tools: SubscriptionsContext) {}

  /** The topic is created with it, where topics come by themselves. */
  async create(
    { name, topic, destination, from, maxRecords, encoding }: SubscriptionRequest,
    request: IncomingMessage,
  ): Promise<SubscriptionObject | Refusal> {
    const { engine, topics, readTemplate, targetsOf } = this.tools;
    const addressed = readTemplate(destination, request);
    if ('status' in addressed) return addressed;
    const { url, topicName: groupName, message } = addressed;
    const targets = targetsOf({ url, groupName });
    if (!targets.ok) return { status: 404, message: targets.error };
    // Before a topic comes of it; the decision itself looks again.
    if (engine.actors(subscriptionKind).has(name)) {
      return { status: 409, message: `subscription ${name} exists` };
    }
    const logs = await topics.forConsume(topic);
    if ('status' in logs) return logs;
    const command: Asked<CreateSubscription> = {
      type: 'CreateSubscription',
      definition: { topic, url, groupName, maxRecords, encoding, message },
      positions: logs.map((log) => (from === 'latest' ? log.highWatermark : log.startOffset)),
    };
    return (await this.ask(name, command)) ?? this.show(name);
  }

  /** Carries a command out; null if it was accepted. */
  async ask(id: string, asked: Asked<SubscriptionCommand>): Promise<Refusal | null> {
    const { engine, clock } = this.tools;
    const command: SubscriptionCommand = { ...asked, kind: subscriptionKind, id, at: clock.now() };
    const [outcome] = await engine.dispatch([command]);
    return outcome === undefined || outcome.accepted ? null : refusalOf(outcome.rejection);
  }

  async show(name: string): Promise<SubscriptionObject | Refusal> {
    return (await this.object(name)) ?? { status: 404, message: `subscription ${name} not found` };
  }

  async list(): Promise<readonly SubscriptionObject[]> {
    const names = [...this.tools.engine.actors(subscriptionKind).ids()].sort();
    const objects = await Promise.all(names.map((name) => this.object(name)));
    return objects.filter((object) => object !== undefined);
  }

  private async object(name: string): Promise<SubscriptionObject | undefined> {
    const { engine, topics, targetsOf, isPending } = this.tools;
    const subscriptions = engine.actors(subscriptionKind);
    const topic = (subscriptions.stateOf(name) as SubscriptionState).context.definition?.topic;
    const logs = topic === undefined ? undefined : await topics.logs(topic);
    const state = subscriptions.stateOf(name) as SubscriptionState;
    const { definition, partitions: count } = state.context;
    const partitions = Array.from({ length: count }, (_, partition) => {
      const id = subscriptionPartitionId({ subscription: name, partition });
      const own = engine.actors(subscriptionPartitionKind).stateOf(id);
      return subscriptionPartitionObject(
        { topic: topic ?? '', partition },
        own as NonNullable<PartitionState>,
        logs?.[partition],
        isPending,
      );
    });
    await engine.durable();
    return definition === null
      ? undefined
      : subscriptionObject(name, state, targetsOf(definition), partitions);
  }
}
