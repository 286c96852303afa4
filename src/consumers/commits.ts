/** Readers commit offsets by themselves: taken exactly as they say, from those who may say it. */
import type { Clock } from '../engine/clock.js';
import type { Refusal } from '../http/error-shapes.js';
import type { CommittedOffsets } from './committed-offsets.js';
import type { ConsumerPlace } from './consumer.events.js';
import type { ConsumerSession } from './consumer-session.js';
import type { ConsumerSessions } from './consumer-sessions.js';
import type { ConsumersDesk } from './consumers-desk.js';
import type { GroupViews } from './group-views.js';
import type { TopicPosition } from './topic-partition.js';

/** What commits work with. */
export interface CommitsFloor {
  readonly consumers: ConsumersDesk;
  readonly sessions: ConsumerSessions;
  readonly views: GroupViews;
  readonly offsets: CommittedOffsets;
  readonly clock: Clock;
}

export class Commits {
  constructor(private readonly floor: CommitsFloor) {}

  /**
   * Commits `positions` for an instance's group; none means all that the instance was given in
   * full. `generation` is the one that the reader believes to be in; null = it does not say. Why
   * not, or null once it is durable.
   */
  async commit(
    place: ConsumerPlace,
    positions: readonly TopicPosition[],
    generation: number | null,
  ): Promise<Refusal | null> {
    const { consumers, sessions, offsets, clock } = this.floor;
    const session = consumers.find(place);
    if ('status' in session) return session;
    const stale = this.staleness(session, positions, generation);
    if (stale !== null) return stale;
    // Nothing waits between the look at who owns what and this.
    session.callBegan();
    if (positions.length === 0) sessions.commitWritten(session);
    offsets.commit(place.group, positions, clock.now());
    for (const position of positions) session.positions.storedByReader(position);
    session.callEnded();
    await offsets.durable();
    return null;
  }

  /** Who is not in the group's generation, or does not own a partition, is told so. */
  private staleness(
    { place: { group, instance }, generation }: ConsumerSession,
    positions: readonly TopicPosition[],
    believed: number | null,
  ): Refusal | null {
    if (believed !== null && believed !== generation) {
      const message = `group ${group} is in generation ${generation}, not in ${believed}`;
      return { status: 409, message };
    }
    const owners = this.floor.views.find(group)?.owners;
    for (const { topic, partition } of positions) {
      const owner = owners?.get(topic)?.[partition] ?? instance;
      if (owner === instance) continue;
      const message = `partition ${partition} of ${topic} is owned by instance ${owner}`;
      return { status: 409, message };
    }
    return null;
  }
}
