/**
 * Finds the session of a consumer instance for a request, and creates the instance if the request
 * may do so.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal, type Result } from '../../grammar/result.js';
import type { Access } from '../../http/identity/grant.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import type { ChangeSubscription, JoinGroup } from '../groups/consumer-group.commands.js';
import { ConsumerGroups } from '../groups/consumer-group.entity.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import { GroupViews } from '../groups/group-views.js';
import { Topics } from '../topics/topic.entity.js';
import type { JoinOptions } from './consume.request.js';
import type { ConsumerSession } from './consumer-session.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { InstanceRemoval } from './instance-removal.js';
import { StartPositions } from './start-positions.js';

/**
 * Number of attempts; an instance may end just before a call finds it, and the call then creates it
 * again.
 */
const attemptsMax = 3;

const restless: Refusal = new Refusal('unavailable', 'the instance is being closed; try again');

/** The caller of an instance: its rights, its identity, and the last answer that it received. */
export interface ConsumerCaller {
  readonly grant: Access;
  readonly by: Principal | null;
  /** The id of the last answer that the client received; null = not named. */
  readonly received: string | null;
}

/**
 * Returns refusals as values: 404 if there is no such instance or topic, and the refusals of the
 * group's decider.
 */
@Injectable()
export class ConsumersService {
  constructor(
    private readonly groups: ConsumerGroups,
    private readonly topics: Topics,
    private readonly views: GroupViews,
    private readonly sessions: ConsumerSessions,
    private readonly starts: StartPositions,
    private readonly removal: InstanceRemoval,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * The session of an instance that is subscribed to exactly `topics`: the existing one, or one
   * that this request creates with its options, if the grant of `who` allows it. Resolves when that
   * is durable.
   */
  async enter(
    place: ConsumerPlace,
    topics: readonly string[],
    who: ConsumerCaller,
    options: () => Result<JoinOptions>,
  ): Promise<ConsumerSession | Refusal> {
    const known = this.sessions.find(place);
    known?.acknowledge(who.received);
    if (known?.subscribesTo(topics) === true && this.areThere(topics)) return known;
    const arrivals = await this.starts.arrive(topics, who.by, async (toCome) =>
      this.sessions.find(place) === undefined
        ? this.judgeJoin(this.joinOf(place, topics, who, options()), toCome, who.by)
        : null,
    );
    if (arrivals instanceof Refusal) return arrivals;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const session = this.sessions.find(place);
      if (session?.subscribesTo(topics) === true) {
        this.starts.keep(session, arrivals);
        return session;
      }
      const isChange = session !== undefined;
      const refusal = isChange
        ? await this.changeSubscription(place, topics, who)
        : await this.join(this.joinOf(place, topics, who, options()), who.by);
      if (refusal !== null) return refusal;
    }
    return restless;
  }

  /** The session of an instance that must exist. */
  find(place: ConsumerPlace): ConsumerSession | Refusal {
    const { group, instance } = place;
    const message = `group ${group} has no instance ${instance}`;
    return this.sessions.find(place) ?? new Refusal('not_found', message);
  }

  /**
   * Deletes an instance. Returns why it cannot, or null once the instance is gone and what it was
   * given is committed: up to the answer `received`, if the client names one.
   */
  async remove(
    place: ConsumerPlace,
    { by, received }: Pick<ConsumerCaller, 'by' | 'received'>,
  ): Promise<Refusal | null> {
    const session = this.find(place);
    if (session instanceof Refusal) return session;
    session.acknowledge(received);
    return this.removal.remove(session, by);
  }

  private joinOf(
    { group, instance }: ConsumerPlace,
    topics: readonly string[],
    { grant }: ConsumerCaller,
    options: Result<JoinOptions>,
  ): JoinGroup | Refusal {
    if (!options.ok) return options;
    const at = this.clock.now();
    return {
      ...{ type: 'JoinGroup', kind: consumerGroupKind, id: group, at },
      ...{ instance, topics, grant, ...options.value },
    };
  }

  /** Checks a join before topics are created for it; the decision itself checks again. */
  private async judgeJoin(
    join: JoinGroup | Refusal,
    toCome: number,
    by: Principal | null,
  ): Promise<Refusal | null> {
    if (join instanceof Refusal) return join;
    const refusal = this.groups.joinRefusal(join, toCome);
    const hasRoom = refusal !== null && (await this.makesRoom(join.id, refusal, by));
    return hasRoom ? this.groups.joinRefusal(join, toCome) : refusal;
  }

  private async join(join: JoinGroup | Refusal, by: Principal | null): Promise<Refusal | null> {
    if (join instanceof Refusal) return join;
    const refusal = await this.carryOut(join, by);
    return refusal !== null && (await this.makesRoom(join.id, refusal, by)) ? null : refusal;
  }

  /**
   * Closes the silent instances of the group, which may be the reason of a refusal; true if there
   * were any.
   */
  private async makesRoom(
    group: string,
    { code }: Refusal,
    by: Principal | null,
  ): Promise<boolean> {
    return code === 'conflict' && this.removal.removeSilent(group, by);
  }

  private changeSubscription(
    { group, instance }: ConsumerPlace,
    topics: readonly string[],
    { grant, by }: ConsumerCaller,
  ): Promise<Refusal | null> {
    const at = this.clock.now();
    const type = 'ChangeSubscription';
    const address = { kind: consumerGroupKind, id: group, at };
    return this.carryOut({ type, ...address, instance, topics, grant }, by);
  }

  /** Carries out a command; resolves when the views show the resulting generation of the group. */
  private async carryOut(
    command: JoinGroup | ChangeSubscription,
    by: Principal | null,
  ): Promise<Refusal | null> {
    const outcome = await this.groups.ask(command, by);
    if (!outcome.ok) {
      // The instance ended at this very moment: the next attempt joins.
      const hasLeft = command.type === 'ChangeSubscription' && outcome.code === 'not_found';
      return hasLeft ? null : outcome;
    }
    await this.views.whenAt(command.id, outcome.value.generation);
    return null;
  }

  private areThere(topics: readonly string[]): boolean {
    return topics.every((topic) => this.topics.partitionsOf(topic) > 0);
  }
}
