/**
 * The sessions of all active consumer instances: started and ended as their states want it, changed
 * by rebalances, watched for silence, and committed at their intervals. One heap of deadlines for
 * all.
 */
import { Inject, Injectable } from '@nestjs/common';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import { AlarmClock } from '../../engine/alarm-clock.js';
import { type Clock, monotonicClock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { CloseConsumer } from '../groups/consumer.commands.js';
import type { RunConsumer } from '../groups/consumer.decider.js';
import {
  type CloseReason,
  type ConsumerPlace,
  consumerId,
  consumerKind,
  consumerPlace,
} from '../groups/consumer.events.js';
import { type ConsumerGroupState, ownedBy } from '../groups/consumer-group.state.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import type { TopicPosition } from '../records/topic-partition.js';
import { ConsumerSession } from './consumer-session.js';
import { type OwnedPartition, takeAcknowledged } from './positions.js';

/** The ids that a client may still have are those of few sessions: 48 bits tell them apart. */
const sessionNameBytes = 6;

/**
 * One for the server. Commits that it makes by itself are of what readers have had in full: records
 * may come twice after a crash, and none is left out.
 */
@Injectable()
export class ConsumerSessions implements EffectCarrier<RunConsumer> {
  /** By group and instance. */
  private readonly groups = new Map<string, Map<string, ConsumerSession>>();
  private readonly silences: AlarmClock<ConsumerSession>;
  private readonly commits: AlarmClock<ConsumerSession>;
  private hasStopped = false;

  constructor(
    private readonly engine: Engine,
    private readonly views: GroupViews,
    private readonly offsets: CommittedOffsets,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    const durations = monotonicClock(clock);
    this.silences = new AlarmClock(durations, (session) => this.judgeSilence(session));
    this.commits = new AlarmClock(durations, (session) => this.commitInterval(session));
  }

  /** One that has not called yet, or not since the server started, has its session timeout to. */
  start({ id }: EffectSource, { settings }: RunConsumer): () => void {
    const place = consumerPlace(id);
    const name = this.identifiers.randomBytes(sessionNameBytes).toString('base64url');
    const session = new ConsumerSession(place, settings, this.clock, name);
    const view = this.views.find(place.group);
    if (view !== undefined) session.view(view, ownedBy(view).get(place.instance) ?? []);
    const own = this.groups.get(place.group);
    if (own === undefined) this.groups.set(place.group, new Map([[place.instance, session]]));
    else own.set(place.instance, session);
    this.silences.set(session, session.silentAt);
    return () => this.end(session);
  }

  /** undefined = the instance is not active, or not yet. */
  find({ group, instance }: ConsumerPlace): ConsumerSession | undefined {
    return this.groups.get(group)?.get(instance);
  }

  get size(): number {
    let size = 0;
    for (const own of this.groups.values()) size += own.size;
    return size;
  }

  /** All sessions, in no order. */
  *all(): Generator<ConsumerSession> {
    for (const own of this.groups.values()) yield* own.values();
  }

  /**
   * A group has changed: partitions change hands now. The session that loses one commits what was
   * acknowledged in it before the new owner looks where to begin.
   */
  viewChanged(group: string, view: ConsumerGroupState): void {
    const sessions = this.groups.get(group);
    if (sessions === undefined) return;
    const owned = ownedBy(view);
    for (const session of sessions.values()) {
      this.commit(session, session.view(view, owned.get(session.place.instance) ?? []));
    }
  }

  /** A topic has more logs: calls that wait look at those that were missing. */
  partitionsCame(topic: string): void {
    for (const session of this.all()) session.partitionsCame(topic);
  }

  /** A call's turn has come: what it acknowledged is committed before it is answered. */
  acknowledged(session: ConsumerSession): void {
    this.commit(session, session.positions.all);
  }

  /** What was handed out has been written in full. */
  written(session: ConsumerSession): void {
    session.positions.write();
    this.commitLater(session);
  }

  /** The reader has all before these positions and goes on there, whatever became of the rest. */
  resume(session: ConsumerSession, received: readonly TopicPosition[]): void {
    for (const position of received) {
      const own = session.positions.find(position);
      if (own === undefined || own.position < 0 || own.log === null) continue;
      const { startOffset, highWatermark } = own.log;
      const { offset } = position;
      if (offset >= startOffset && offset <= highWatermark) own.resume(offset);
    }
    this.commit(session, session.positions.all);
  }

  /** Commits what the instance was given in full, whatever it committed before by itself. */
  commitWritten({ place: { group }, positions }: ConsumerSession): void {
    positions.acknowledge();
    takeAcknowledged(positions.all);
    const given = positions.all.filter((own) => {
      const stored = this.offsets.find(group, own);
      return own.written >= 0 && own.written !== (stored?.start ?? stored?.committed);
    });
    const committed = given.map(({ topic, partition, written: offset }) => {
      return { topic, partition, offset };
    });
    this.offsets.commit(group, committed, this.clock.now());
  }

  /** Closes the instances of a group whose sessions have timed out, before their alarms. */
  closingSilent(group: string): CloseConsumer[] {
    const sessions = [...(this.groups.get(group)?.values() ?? [])];
    const silent = sessions.filter((session) => session.judgeSilence());
    return silent.map((session) => this.closingOf(session));
  }

  /** Closes an instance; what it was given in full counts as processed. */
  closing({ place, positions }: ConsumerSession, reason: CloseReason): CloseConsumer {
    positions.acknowledge();
    const at = this.clock.now();
    return { type: 'CloseConsumer', kind: consumerKind, id: consumerId(place), at, reason };
  }

  /** Ends all waiting: the server stops. */
  dismiss(): void {
    for (const session of this.all()) session.end();
  }

  /**
   * Commits what was acknowledged; settles when it is durable. What finds no space on the disk is
   * handed out again after the next start.
   */
  async stop(): Promise<void> {
    this.hasStopped = true;
    this.silences.stop();
    this.commits.stop();
    for (const session of this.all()) this.commit(session, session.positions.all);
    await this.stored();
  }

  private end(session: ConsumerSession): void {
    const { group, instance } = session.place;
    this.silences.cancel(session);
    this.commits.cancel(session);
    this.commit(session, session.positions.own([]));
    session.end();
    const own = this.groups.get(group);
    own?.delete(instance);
    if (own?.size === 0) this.groups.delete(group);
  }

  private commit(session: ConsumerSession, partitions: readonly OwnedPartition[]): void {
    const { place, settings } = session;
    if (!settings.autoCommit) return;
    const acknowledged = takeAcknowledged(partitions);
    if (acknowledged.length === 0) return;
    this.offsets.commit(place.group, acknowledged, this.clock.now());
    session.committed = this.stored();
  }

  /** Settles when all commits are durable. What finds no space comes again after a crash. */
  private stored(): Promise<void> {
    return this.offsets.durable().catch((error: unknown) => {
      if (!(error instanceof DiskFull)) throw error;
    });
  }

  private commitLater(session: ConsumerSession): void {
    const { settings, positions } = session;
    if (this.hasStopped || !settings.autoCommit || !positions.isOutstanding) return;
    if (this.commits.timeOf(session) !== undefined) return;
    positions.mark();
    this.commits.set(session, this.clock.monotonic() + settings.autoCommitIntervalMs);
  }

  private commitInterval(session: ConsumerSession): void {
    session.positions.tick();
    this.commit(session, session.positions.all);
    this.commitLater(session);
  }

  /** A call moves no alarm: when it rings, the time of the last call is looked at. */
  private judgeSilence(session: ConsumerSession): void {
    const { isCalling, settings, silentAt } = session;
    if (session.judgeSilence()) this.engine.dispatchAndForget([this.closingOf(session)]);
    else if (!isCalling) this.silences.set(session, silentAt);
    else this.silences.set(session, this.clock.monotonic() + settings.sessionTimeoutMs);
  }

  private closingOf(session: ConsumerSession): CloseConsumer {
    return this.closing(session, session.lastSeenAt === null ? 'expired' : 'idle');
  }
}
