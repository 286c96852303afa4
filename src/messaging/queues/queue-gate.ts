/**
 * Starts the messages of a queue in the order in which they joined it, and only those that hold a
 * slot. An attempt that was canceled in flight keeps its place until it has ended, so that a
 * receiver never handles more messages of a queue at once than its parallelism.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { EventListener } from '../../engine/registration.js';
import { type Entrant, type Gate, Line } from '../gates/gate.js';
import { Gates } from '../gates/gates.js';
import type { Obstacle } from '../gates/obstacle.js';
import type { MessageEvent } from '../messages/message.events.js';
import { Queues } from './queue.entity.js';
import { defaultSettings, type IndexedQueueEvent } from './queue.events.js';
import { QueueEntries } from './queue-entries.js';
import type { QueueOrder } from './queue-order.js';

/** One instance per server. The engine calls `index` with the events of queues and messages. */
@Injectable()
export class QueueGate implements Gate {
  readonly name = 'queue';
  readonly sharedBy = [];
  readonly concerns = 'queueName';
  /** By queue name. */
  private readonly lines = new Map<string, Line>();

  /** `queues` hold the settings in memory, which may be ahead of the disk. */
  constructor(
    private readonly entries: QueueEntries,
    @Inject(Gates) private readonly gates: Pick<Gates, 'reopen'>,
    @Inject(Queues) private readonly queues: Pick<Queues, 'stateOf'>,
  ) {}

  /** The delay of an entrant has passed, so this also makes it join its queue. */
  lineOf({ queueName, messageId }: Entrant): Line | null {
    if (queueName === null) return null;
    const entry = this.entries.find(messageId);
    if (entry?.place === 0) this.entries.orderOf(queueName).admit(entry);
    const known = this.lines.get(queueName);
    if (known !== undefined) return known;
    const line = new Line(this, ({ entrant }) => this.placeOf(entrant.messageId));
    this.lines.set(queueName, line);
    return line;
  }

  /** A limit applies from its decision until its end is durable, so an answered pause holds. */
  isOpen(line: Line, { queueName, messageId }: Entrant): boolean {
    const entry = this.entries.find(messageId);
    // The message was just canceled: its effect is about to be taken back.
    if (queueName === null || entry === undefined || entry.isFinal) return false;
    const order = this.entries.orderOf(queueName);
    const decided = this.queues.stateOf(queueName) ?? defaultSettings;
    const all = [order.settings, decided];
    if (all.some(({ isPaused, parallelism }) => isPaused || line.used >= parallelism)) return false;
    return order.holdsSlot(entry);
  }

  enter(line: Line): void {
    line.used += 1;
  }

  leave(line: Line, { queueName }: Entrant): void {
    line.used -= 1;
    if (queueName !== null) this.forgetIfGone(this.entries.orderOf(queueName));
  }

  obstacleOf(_line: Line, { queueName }: Entrant): Obstacle {
    if (queueName === null) throw new Error('no queue holds back what is in none');
    const order = this.entries.orderOf(queueName);
    const { isPaused, parallelism } = order.settings;
    return { gate: this.name, queueName, isPaused, parallelism, ...order.slots() };
  }

  /** Learns from events and tries the lines that may continue. */
  readonly index: EventListener<MessageEvent | IndexedQueueEvent> = (envelopes) => {
    for (const order of this.entries.learn(envelopes)) {
      const line = this.lines.get(order.name);
      if (line !== undefined) this.gates.reopen(line);
      this.forgetIfGone(order);
    }
  };

  private placeOf(messageId: string): number {
    return this.entries.find(messageId)?.place ?? Number.MAX_SAFE_INTEGER;
  }

  private forgetIfGone(order: QueueOrder): void {
    if (!order.isGone || this.lines.get(order.name)?.isIdle === false) return;
    this.lines.delete(order.name);
    this.entries.forget(order);
  }
}
