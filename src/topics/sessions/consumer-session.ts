/**
 * One consumer instance while it is active: what it owns, how far it is, and who may call. It lives
 * in memory: after a restart it begins again from its group and its committed offsets.
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

/** Made and ended by `ConsumerSessions`, as the instance's effect says. */
export class ConsumerSession {
  readonly positions = new Positions();
  /** The group's generation that it acts in. */
  generation = 0;
  /** Counts the generations that have changed what it owns. */
  changes = 0;
  /** Settles when where it begins is durable; see `StartPositions.begun`. */
  begun: Promise<void> = Promise.resolve();
  /** Settles when what was committed for it by itself is durable, as far as the disk has space. */
  committed: Promise<void> = Promise.resolve();
  /**
   * Where seeks have led in partitions that it did not own by then. A topic that is made anew has
   * other logs: nothing of before means those.
   */
  readonly soughtOffsets = new WeakMap<PartitionLog, number>();
  /** How many answers it has begun to give; see `answerId`. */
  private answers = 0;
  /** When its last call ended, or it was made, by the monotonic clock. */
  private heardAt: number;
  private life = machine.initialState();
  /** What its group has of it, which stays the same list while it does not change. */
  private subscription: readonly string[] = [];
  private topics: ReadonlySet<string> = new Set();
  private isHeld = false;
  private readonly queue: (() => void)[] = [];
  private wakeParked: (() => void) | null = null;

  constructor(
    readonly place: ConsumerPlace,
    readonly settings: ConsumerSettings,
    private readonly clock: Clock,
    /** Begins the ids of its answers: no session of before or after has it. */
    private readonly name: string,
  ) {
    this.heardAt = clock.monotonic();
  }

  /** It is closed, or the server stops: calls end with what they have. */
  get isEnded(): boolean {
    return this.life.value === 'ended';
  }

  /** When its last call ended, Unix milliseconds; null = it has not called since the start. */
  get lastSeenAt(): number | null {
    return this.life.context.lastSeenAt;
  }

  /** Whether the client is calling now. */
  get isCalling(): boolean {
    return this.life.value === 'calling';
  }

  /**
   * When its session times out unless a call comes, by the monotonic clock: silence is as long as
   * it is, whatever the wall clock was set to meanwhile.
   */
  get silentAt(): number {
    return this.heardAt + this.settings.sessionTimeoutMs;
  }

  /** Whether it has been silent for its session timeout by now: then it is to be closed. */
  judgeSilence(): boolean {
    if (this.silentAt <= this.clock.monotonic()) this.hear({ type: 'TimedOut' });
    return this.life.value === 'silent';
  }

  /** A call has come in; `callEnded` follows. */
  callBegan(): void {
    this.hear({ type: 'CallBegan' });
  }

  /** Its session timeout runs from now on, unless another call is under way. */
  callEnded(): void {
    this.heardAt = this.clock.monotonic();
    this.hear({ type: 'CallEnded', at: this.clock.now() });
  }

  /** Whether it has subscribed to exactly these topics. */
  subscribesTo(topics: readonly string[]): boolean {
    if (topics.length !== this.topics.size) return false;
    return topics.every((topic) => this.topics.has(topic));
  }

  /**
   * Acts on what its group is now, in which it owns `owned`; answers the partitions that it has
   * lost. Only a change of those wakes a parked call: most joins do not concern most sessions.
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

  /** A topic has more logs than before: a parked call looks for those that were missing. */
  partitionsCame(topic: string): void {
    if (this.wakeParked === null || !this.topics.has(topic)) return;
    if (this.positions.all.some((own) => own.log === null && own.topic === topic)) this.wake();
  }

  /** Names the answer that is about to be given: what it hands out is acknowledged by that name. */
  nextAnswerId(): string {
    this.answers += 1;
    return this.answerId;
  }

  /**
   * A call has come in. It has what earlier ones gave, unless one of them is on its way still; if
   * it names the answer that it had last (`received`), it has that one, and what followed was lost.
   */
  acknowledge(received: string | null): void {
    if (!this.isHeld) this.receive(received);
  }

  /**
   * One call at a time reads: true as soon as it is this one's turn, which ends with `leave`; false
   * where it has not come by `until`, by the monotonic clock. `received` is as for `acknowledge`.
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

  /** The turn ends: the call that has waited longest is next. */
  leave(): void {
    const next = this.queue.shift();
    if (next === undefined) this.isHeld = false;
    else next();
  }

  /** `wake` is called once: when its view changes, or it ends, or its `wake()` is called. */
  park(wake: (() => void) | null): void {
    this.wakeParked = wake;
  }

  /** The parked call looks again. */
  wake(): void {
    const wake = this.wakeParked;
    this.wakeParked = null;
    wake?.();
  }

  /** No call reads any more; one that waits ends with what it has. */
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
