/**
 * The sessions of all active consumer instances: started and ended with their effects, changed by
 * rebalances, watched for silence, and committed at their intervals. All sessions share one heap of
 * deadlines for each purpose.
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

/** A client may still hold the ids of only a few sessions, for which 48 random bits suffice. */
const sessionNameBytes = 6;

/**
 * One instance for the server. Automatic commits cover only what readers have received completely:
 * after a crash records may come twice, but none is skipped.
 */
@Injectable()
export class ConsumerSessions implements EffectCarrier<RunConsumer> {
  /** Sessions by group and instance. */
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

  /**
   * Starts a session. An instance that has not called yet, or not since the server started, has its
   * session timeout to do so.
   */
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

  /** The session of an instance; undefined = the instance is not active, or not yet. */
  find({ group, instance }: ConsumerPlace): ConsumerSession | undefined {
    return this.groups.get(group)?.get(instance);
  }

  get size(): number {
    let size = 0;
    for (const own of this.groups.values()) size += own.size;
    return size;
  }

  /** All sessions, in no particular order. */
  *all(): Generator<ConsumerSession> {
    for (const own of this.groups.values()) yield* own.values();
  }

  /**
   * Applies a change of a group, in which partitions change their owners. A session that loses a
   * partition commits its acknowledged position before the new owner looks up where to start.
   */
  viewChanged(group: string, view: ConsumerGroupState): void {
    const sessions = this.groups.get(group);
    if (sessions === undefined) return;
    const owned = ownedBy(view);
    for (const session of sessions.values()) {
      this.commit(session, session.view(view, owned.get(session.place.instance) ?? []));
    }
  }

  /** A topic has more logs: wakes waiting calls that were missing some of them. */
  partitionsCame(topic: string): void {
    for (const session of this.all()) session.partitionsCame(topic);
  }

  /** Commits what a call acknowledged, at the start of its turn and before it is answered. */
  acknowledged(session: ConsumerSession): void {
    this.commit(session, session.positions.all);
  }

  /** Notes that everything handed out was written completely. */
  written(session: ConsumerSession): void {
    session.positions.write();
    this.commitLater(session);
  }

  /**
   * The reader has everything before these positions, and reading continues there, whatever
   * happened to later records.
   */
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

  /**
   * Commits everything that the instance was given completely, replacing its own earlier commits.
   */
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

  /**
   * The commands that close the instances of a group whose sessions have timed out, before their
   * alarms fire.
   */
  closingSilent(group: string): CloseConsumer[] {
    const sessions = [...(this.groups.get(group)?.values() ?? [])];
    const silent = sessions.filter((session) => session.judgeSilence());
    return silent.map((session) => this.closingOf(session));
  }

  /** The command that closes an instance; what it was given completely counts as processed. */
  closing({ place, positions }: ConsumerSession, reason: CloseReason): CloseConsumer {
    positions.acknowledge();
    const at = this.clock.now();
    return { type: 'CloseConsumer', kind: consumerKind, id: consumerId(place), at, reason };
  }

  /** Ends all sessions and their waiting calls, because the server stops. */
  dismiss(): void {
    for (const session of this.all()) session.end();
  }

  /**
   * Commits everything acknowledged; resolves when that is durable. If the disk is full, these
   * records are handed out again after the next start.
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

  /**
   * Resolves when all commits are durable, or the disk is full; then the records come again after a
   * crash.
   */
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

  /**
   * Handles the silence alarm. Calls do not move the alarm; instead, the time of the last call is
   * checked when it fires.
   */
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
