/** Finds the session of a consumer instance for a request, and makes the instance where it may. */

import { dispatchAll } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Parsed } from '../../grammar/parsed.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type { Grant } from '../../http/identity/grant.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import type { ConsumerGroupCommand, MembershipReceipt } from '../groups/consumer-group.commands.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import type { ConsumerGroupLife } from '../groups/consumer-group.machine.js';
import type { GroupViews } from '../groups/group-views.js';
import type { CommittedOffsets } from '../offsets/committed-offsets.js';
import type { TopicAccess } from '../topics/topic-access.js';
import type { JoinOptions } from './consume.request.js';
import type { ConsumerSession } from './consumer-session.js';
import type { ConsumerSessions } from './consumer-sessions.js';
import type { Arrival, StartPositions } from './start-positions.js';

/** What the service works with. */
export interface ConsumersContext {
  readonly engine: Engine;
  readonly topics: TopicAccess;
  readonly views: GroupViews;
  readonly sessions: ConsumerSessions;
  readonly starts: StartPositions;
  readonly offsets: CommittedOffsets;
  readonly clock: Clock;
}

/** An instance may end just before a call finds it; its call then begins another life. */
const attemptsMax = 3;

const restless: Refusal = {
  status: 503,
  message: 'the instance is being closed; try again',
  headers: { 'retry-after': '1' },
};

export class ConsumersService {
  constructor(private readonly context: ConsumersContext) {}

  /**
   * The session of an instance that is subscribed to exactly `topics`: the one there is, or one
   * that this request makes with its options, as far as its `grant` goes. Settles when that is
   * durable.
   */
  async enter(
    place: ConsumerPlace,
    topics: readonly string[],
    grant: Grant,
    options: () => Parsed<JoinOptions>,
  ): Promise<ConsumerSession | Refusal> {
    const { sessions, starts } = this.context;
    const known = sessions.find(place);
    known?.acknowledge();
    if (known?.subscribesTo(topics) === true && this.areThere(topics)) return known;
    const arrivals = await this.open(topics);
    if ('status' in arrivals) return arrivals;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const session = sessions.find(place);
      if (session?.subscribesTo(topics) === true) {
        starts.keep(session, arrivals);
        return session;
      }
      const isChange = session !== undefined;
      const refusal = isChange
        ? await this.changeSubscription(place, topics, grant)
        : await this.join(place, topics, grant, options());
      if (refusal !== null) return refusal;
    }
    return restless;
  }

  /** The session of an instance that must be there. */
  find(place: ConsumerPlace): ConsumerSession | Refusal {
    const { group, instance } = place;
    const message = `group ${group} has no instance ${instance}`;
    return this.context.sessions.find(place) ?? { status: 404, message };
  }

  /** Why an instance cannot be deleted; null = it is gone, and what it was given is committed. */
  async remove(place: ConsumerPlace): Promise<Refusal | null> {
    const { sessions, engine, views, offsets } = this.context;
    const session = this.find(place);
    if ('status' in session) return session;
    const removed = engine.dispatch([sessions.closing(session, 'deleted')]);
    const { generation } = this.decided(place.group).context;
    const [outcome] = await removed;
    if (outcome !== undefined && !outcome.accepted) return refusalOf(outcome.rejection);
    await views.whenAt(place.group, generation);
    await offsets.durable();
    return null;
  }

  private async join(
    { group, instance }: ConsumerPlace,
    topics: readonly string[],
    grant: Grant,
    options: Parsed<JoinOptions>,
  ): Promise<Refusal | null> {
    if (!options.ok) return { status: 400, message: options.reason };
    const at = this.context.clock.now();
    const refusal = await this.ask({
      ...{ type: 'JoinGroup', kind: consumerGroupKind, id: group, at },
      ...{ instance, topics, grant, ...options.value },
    });
    return refusal?.status === 409 && (await this.closeSilent(group)) ? null : refusal;
  }

  /** Ends the silent instances of a group, which keep others out; false = there are none. */
  private async closeSilent(group: string): Promise<boolean> {
    const { engine, sessions, views } = this.context;
    const silent = sessions.closingSilent(group);
    await dispatchAll(engine, silent);
    if (silent.length === 0) return false;
    await views.whenAt(group, this.decided(group).context.generation);
    return true;
  }

  private changeSubscription(
    { group, instance }: ConsumerPlace,
    topics: readonly string[],
    grant: Grant,
  ): Promise<Refusal | null> {
    const at = this.context.clock.now();
    const type = 'ChangeSubscription';
    return this.ask({ type, kind: consumerGroupKind, id: group, at, instance, topics, grant });
  }

  /** Settles when the group is seen in the generation that it was told of. */
  private async ask(command: ConsumerGroupCommand): Promise<Refusal | null> {
    const { engine, views } = this.context;
    const [outcome] = await engine.dispatch([command]);
    if (outcome === undefined) throw new Error('a command without an outcome');
    if (!outcome.accepted) {
      const { rejection } = outcome;
      // It has ended in this very moment: the next attempt joins.
      const hasLeft = command.type === 'ChangeSubscription' && rejection.code === 'not_found';
      return hasLeft ? null : refusalOf(rejection);
    }
    const { generation } = outcome.result as MembershipReceipt;
    await views.whenAt(command.id, generation);
    return null;
  }

  /** Where the logs of the topics end now; a topic that does not come by itself is joined later. */
  private async open(topics: readonly string[]): Promise<readonly Arrival[] | Refusal> {
    const arrivals: Arrival[] = [];
    const refusal = await this.context.topics.ensure(topics);
    if (refusal !== null) return refusal;
    for (const topic of topics) {
      const logs = await this.context.topics.forConsume(topic);
      if ('status' in logs) {
        if (logs.status === 404) continue;
        return logs;
      }
      for (const [partition, log] of logs.entries()) {
        arrivals.push({ topic, partition, log, highWatermark: log.highWatermark });
      }
    }
    return arrivals;
  }

  private areThere(topics: readonly string[]): boolean {
    return topics.every((topic) => this.context.topics.partitionsOf(topic) > 0);
  }

  private decided(group: string): ConsumerGroupLife {
    return this.context.engine.actors(consumerGroupKind).stateOf(group) as ConsumerGroupLife;
  }
}
