/**
 * One consumer instance while it is active: its partitions, its positions, and the turns of its
 * calls. It is only in memory: after a restart it starts again from its group and the committed
 * offsets.
 */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import type { ConsumerPlace, ConsumerSettings } from '../groups/consumer.events.js';
import type { ConsumerGroupState } from '../groups/consumer-group.state.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { consumerSessionMachine, type SessionEvent } from './consumer-session.machine.js';
import { type OwnedPartition, Positions } from './positions.js';

const machine = machineEvolve(consumerSessionMachine);

/** Created and ended by `ConsumerSessions`, with the instance's effect. */
export class ConsumerSession {
  readonly positions = new Positions();
  /** The generation of the group that the session is in. */
  generation = 0;
  /** Counts the generations that changed the owned partitions. */
  changes = 0;
  /** Settles when the session's start positions are durable; see `StartPositions.begun`. */
  begun: Promise<void> = Promise.resolve();
  /** Resolves when its automatic commits are durable, as far as the disk has space. */
  committed: Promise<void> = Promise.resolve();
  /**
   * Targets of seeks in partitions that the session did not own at the time. Keyed by log, because
   * a topic that is created again has new logs, to which old seeks do not apply.
   */
  readonly soughtOffsets = new WeakMap<PartitionLog, number>();
  /** Number of answers begun; see `answerId`. */
  private answers = 0;
  /** When the last call ended, or the session was created, on the monotonic clock. */
  private heardAt: number;
  private life = machine.initialState();
  /**
   * The subscription in the group's state, which remains the same list object while it is
   * unchanged.
   */
  private subscription: readonly string[] = [];
  private topics: ReadonlySet<string> = new Set();
  private isHeld = false;
  private readonly queue: (() => void)[] = [];
  private wakeParked: (() => void) | null = null;

  constructor(
    readonly place: ConsumerPlace,
    readonly settings: ConsumerSettings,
    private readonly clock: Clock,
    /** The prefix of its answers' ids, unique among all sessions, earlier and later. */
    private readonly name: string,
  ) {
    this.heardAt = clock.monotonic();
  }

  /** Whether the session is closed or the server stops; calls then end with what they have. */
  get isEnded(): boolean {
    return this.life.value === 'ended';
  }

  /** When the last call ended, Unix milliseconds; null = no call since the start. */
  get lastSeenAt(): number | null {
    return this.life.context.lastSeenAt;
  }

  /** Whether a call is in progress. */
  get isCalling(): boolean {
    return this.life.value === 'calling';
  }

  /**
   * When the session times out unless a call comes; on the monotonic clock, so that setting the
   * wall clock has no effect.
   */
  get silentAt(): number {
    return this.heardAt + this.settings.sessionTimeoutMs;
  }

  /** Whether the session has been silent for its timeout, so that it should be closed. */
  judgeSilence(): boolean {
    if (this.silentAt <= this.clock.monotonic()) this.hear({ type: 'TimedOut' });
    return this.life.value === 'silent';
  }

  /** Notes the start of a call; `callEnded` must follow. */
  callBegan(): void {
    this.hear({ type: 'CallBegan' });
  }

  /**
   * Notes the end of a call. The session timeout starts now, unless another call is in progress.
   */
  callEnded(): void {
    this.heardAt = this.clock.monotonic();
    this.hear({ type: 'CallEnded', at: this.clock.now() });
  }

  /** Whether the session is subscribed to exactly these topics. */
  subscribesTo(topics: readonly string[]): boolean {
    if (topics.length !== this.topics.size) return false;
    return topics.every((topic) => this.topics.has(topic));
  }

  /**
   * Applies the current state of the group, in which the session owns `owned`; returns the
   * partitions that it has lost. Wakes a parked call only if the owned partitions change, because
   * most joins do not affect most sessions.
   */
  view(
    { generation, members }: Pick<ConsumerGroupState, 'generation' | 'members'>,
    owned: readonly TopicPartition[],
  ): readonly OwnedPartition[] {
    this.generation = generation;
    const subscription = members.topicsOf(this.place.instance) ?? [];
    if (subscription !== this.subscription) this.topics = new Set(subscription);
    this.subscription = subscription;
    const keptCount = this.positions.all.length;
    const lost = this.positions.own(owned);
    if (lost.length > 0 || owned.length > keptCount - lost.length) {
      this.changes += 1;
      this.wake();
    }
    return lost;
  }

  /** A topic has more logs than before: wakes a parked call that was missing some of them. */
  partitionsCame(topic: string): void {
    if (this.wakeParked === null || !this.topics.has(topic)) return;
    if (this.positions.all.some((own) => own.log === null && own.topic === topic)) this.wake();
  }

  /** Creates the id of the next answer; the client acknowledges the answer's records by this id. */
  nextAnswerId(): string {
    this.answers += 1;
    return this.answerId;
  }

  /**
   * A new call acknowledges the earlier answers, unless one of them is still being sent. If the
   * call names the last answer that it received (`received`), it has that answer, and later ones
   * were lost.
   */
  acknowledge(received: string | null): void {
    if (!this.isHeld) this.receive(received);
  }

  /**
   * Waits for the turn, because only one call reads at a time. Resolves with true when the turn
   * begins, which lasts until `leave`; with false if it has not begun by `until`, on the monotonic
   * clock. `received` as in `acknowledge`.
   */
  enter(until: number, received: string | null): Promise<boolean> {
    if (!this.isHeld) {
      this.isHeld = true;
      this.receive(received);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const enter = () => {
        cancel();
        this.receive(received);
        resolve(true);
      };
      const cancel = this.clock.after(Math.max(0, until - this.clock.monotonic()), () => {
        this.queue.splice(this.queue.indexOf(enter), 1);
        resolve(false);
      });
      this.queue.push(enter);
    });
  }

  /** Ends the turn; the call that has waited longest is next. */
  leave(): void {
    const next = this.queue.shift();
    if (next === undefined) this.isHeld = false;
    else next();
  }

  /**
   * Parks a call: `wake` is called once, when the owned partitions change, the session ends, or
   * `wake()` is called.
   */
  park(wake: (() => void) | null): void {
    this.wakeParked = wake;
  }

  /** Wakes the parked call. */
  wake(): void {
    const wake = this.wakeParked;
    this.wakeParked = null;
    wake?.();
  }

  /** Ends the session: no call reads any more, and a waiting call ends with what it has. */
  end(): void {
    this.hear({ type: 'SessionEnded' });
    this.wake();
  }

  private get answerId(): string {
    return `${this.name}-${this.answers}`;
  }

  private receive(received: string | null): void {
    const { positions, answerId } = this;
    if (received === null || received === answerId) {
      positions.write();
      positions.acknowledge();
    } else positions.rewind();
  }

  private hear(event: SessionEvent): void {
    this.life = machine.evolve(this.life, event);
  }
}
