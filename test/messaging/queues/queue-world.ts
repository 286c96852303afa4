/**
 * Queues with their whole environment: a journal that commits late, attempts that end as the test
 * says, a clock, other gates, and restarts. The index and the gate are compared with a model that
 * counts the whole journal anew each time.
 */

import type { EventEnvelope } from '../../../src/engine/decider.js';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import type { Admission, Entrant } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';
import type {
  AttemptRecord,
  CallbackSource,
  MessageEvent,
} from '../../../src/messaging/messages/message.events.js';
import {
  defaultSettings,
  type QueueEvent,
  type QueueSettings,
} from '../../../src/messaging/queues/queue.events.js';
import { QueueEntries } from '../../../src/messaging/queues/queue-entries.js';
import { QueueGate } from '../../../src/messaging/queues/queue-gate.js';
import { messageOptions } from '../../support/message-options.js';

/** Attempts in flight at once, of all queues and callbacks together. */
export const totalLimit = 4;

export const queueNames = ['q', 'r'] as const;
export type QueueName = (typeof queueNames)[number];

type Happened = EventEnvelope<MessageEvent | QueueEvent>;

/** No gate considers the result of an attempt. */
const attempt: AttemptRecord = {
  attempt: 0,
  startedAt: 0,
  durationMs: 0,
  status: 0,
  headers: [],
  error: null,
};

interface Fact {
  readonly kind: 'message' | 'queue';
  readonly id: string;
  readonly event: MessageEvent | QueueEvent;
}

/** A message according to its own state. */
class Message {
  isFinal = false;
  /** Its attempt that waits or is in flight. */
  attempt: Attempt | null = null;
  /** The offset of its last event. */
  lastOffset = -1;

  constructor(
    readonly id: string,
    readonly queueName: QueueName | null,
    /** The retries left, and whether a callback follows each attempt. */
    public retries: number,
    readonly isCalledBack: boolean,
    public notBefore: number,
  ) {}
}

class Attempt implements Entrant {
  readonly flowControlKey = null;
  readonly origin = 'https://example.com';
  readonly domain = null;
  readonly bodyBytes = 0;
  readonly messageId: string;
  readonly queueName: QueueName | null;
  admission: Admission | null = null;
  isRunning = false;

  constructor(
    readonly message: Message,
    private readonly world: QueueWorld,
  ) {
    this.messageId = message.id;
    this.queueName = message.queueName;
  }

  admitted(): void {
    this.isRunning = true;
    this.world.started(this);
  }
}

export class QueueWorld {
  now = 1_767_000_000_000;
  messages = new Map<string, Message>();
  entries = new QueueEntries();
  private gates = new Gates();
  private gate = this.newGate();
  /** Queues that exist in memory. */
  readonly queues = new Map<string, QueueSettings>();
  /** Attempts in flight, including those of messages that were canceled meanwhile. */
  running: Attempt[] = [];
  /** Turns that are on disk; `uncommitted` holds those that are not yet. */
  readonly durable: (readonly Happened[])[] = [];
  private uncommitted: (readonly Happened[])[] = [];
  private nextOffset = 0;
  private count = 0;

  constructor(private readonly onStart: (attempt: Attempt, world: QueueWorld) => void) {
    this.open();
  }

  enqueue(queueName: QueueName, delayMs: number, retries: number, isCalledBack: boolean): void {
    const message = this.publication(queueName, delayMs, retries, isCalledBack, null);
    if (this.queues.has(queueName)) this.turn(message);
    else this.turn(message, created(queueName));
  }

  /** Ends the attempt at `index` of those in flight; this is not on disk yet. */
  finish(index: number, isDelivered: boolean): void {
    const ended = this.running[index % Math.max(1, this.running.length)];
    if (ended === undefined || ended.admission === null) return;
    this.running = this.running.filter((other) => other !== ended);
    this.gates.leave(ended.admission);
    const { message } = ended;
    message.attempt = null;
    if (message.isFinal) return;
    const event = this.outcome(message, isDelivered);
    const callback = message.isCalledBack ? [this.callbackOf(message)] : [];
    this.turn({ kind: 'message', id: message.id, event }, ...callback);
  }

  /** Cancels the message at `index` of the pending ones. */
  cancel(index: number): void {
    const pending = [...this.messages.values()].filter(({ isFinal }) => !isFinal);
    const message = pending[index % Math.max(1, pending.length)];
    if (message === undefined) return;
    this.turn(this.cancellation(message));
  }

  /** Moves the next attempt of a message to this much later than now. */
  reschedule(id: string, delayMs: number): void {
    const event: MessageEvent = { type: 'MessageRescheduled', notBefore: this.now + delayMs };
    this.turn({ kind: 'message', id, event });
  }

  configure(queueName: QueueName, parallelism: number, isPaused: boolean): void {
    const type = this.queues.has(queueName) ? 'QueueConfigured' : 'QueueCreated';
    const event: QueueEvent = { type, parallelism, isPaused };
    this.turn({ kind: 'queue', id: queueName, event });
  }

  /** Deletes a queue with its messages that are on disk; those that are not come after it. */
  delete(queueName: QueueName): void {
    if (!this.queues.has(queueName)) return;
    const pending = this.entries.pendingOf(queueName).map(({ messageId }) => messageId);
    const canceled = pending
      .flatMap((id) => this.messages.get(id) ?? [])
      .filter(({ isFinal }) => !isFinal)
      .map((message) => this.cancellation(message));
    this.turn(...canceled, { kind: 'queue', id: queueName, event: { type: 'QueueDeleted' } });
  }

  /** Puts everything decided so far on disk: the index learns it, then effects are carried out. */
  commit(): void {
    const group = this.uncommitted.flat();
    this.durable.push(...this.uncommitted);
    this.uncommitted = [];
    this.gate.index(group);
    for (const { id, event } of group) {
      this.reconcile(this.messages.get(id));
      const isMissed = event.type === 'QueueDeleted' && this.entries.lagOf(id) > 0;
      if (isMissed && !this.queues.has(id)) this.turn(created(id));
    }
  }

  /** A commit takes milliseconds, so everything decided is on disk before time passes. */
  advance(durationMs: number): void {
    this.commit();
    const until = this.now + durationMs;
    const due = [...this.messages.values()]
      .filter(({ notBefore }) => notBefore > this.now && notBefore <= until)
      .sort((a, b) => a.notBefore - b.notBefore);
    for (const message of due) {
      this.now = Math.max(this.now, message.notBefore);
      this.reconcile(message);
    }
    this.now = until;
  }

  /** Everything that was not on disk is lost, and nothing is in flight. */
  restart(): void {
    this.uncommitted = [];
    this.running = [];
    this.messages = new Map();
    this.queues.clear();
    this.entries = new QueueEntries();
    this.open();
    for (const turn of this.durable) {
      for (const envelope of turn) this.remember(envelope);
      this.gate.index(turn);
    }
    for (const message of this.messages.values()) this.reconcile(message);
  }

  started(attempt: Attempt): void {
    this.running.push(attempt);
    this.onStart(attempt, this);
  }

  private open(): void {
    this.gates = new Gates();
    this.gates.add(new CountingGate('attempts', totalLimit));
    this.gate = this.newGate();
    this.gates.add(this.gate);
  }

  private newGate(): QueueGate {
    const stateOf = (name: string) => {
      const settings = this.queues.get(name);
      return settings === undefined ? null : { ...settings, createdAt: 0, updatedAt: 0 };
    };
    return new QueueGate(this.entries, this.gates, { stateOf });
  }

  private outcome(message: Message, isDelivered: boolean): MessageEvent {
    if (isDelivered) return { type: 'MessageDelivered', ...attempt };
    if (message.retries === 0) return { type: 'MessageFailed', ...attempt, cause: 'exhausted' };
    return { type: 'AttemptFailed', ...attempt, retryAt: this.now + 1000 };
  }

  private callbackOf(message: Message): Fact {
    const source = { kind: 'callback', messageId: message.id } as CallbackSource;
    return this.publication(null, 0, 1, false, source);
  }

  private publication(
    queueName: QueueName | null,
    delayMs: number,
    maxRetries: number,
    isCalledBack: boolean,
    callbackOf: CallbackSource | null,
  ): Fact {
    this.count += 1;
    const notBefore = this.now + delayMs;
    const labels = isCalledBack ? ['called back'] : [];
    const options = messageOptions({ queueName, notBefore, maxRetries, callbackOf, labels });
    const event: MessageEvent = { type: 'MessagePublished', ...options };
    return { kind: 'message', id: `msg_${this.count}`, event };
  }

  private cancellation({ id }: Message): Fact {
    return { kind: 'message', id, event: { type: 'MessageCanceled' } };
  }

  private turn(...facts: readonly Fact[]): void {
    const envelopes = facts.map((fact) => this.envelope(fact));
    for (const envelope of envelopes) this.remember(envelope);
    this.uncommitted.push(envelopes);
  }

  private envelope({ kind, id, event }: Fact): Happened {
    const offset = this.nextOffset++;
    return {
      kind,
      id,
      sequence: 0,
      at: this.now,
      offset,
      previous: -1,
      by: null,
      event,
      body: null,
      byteLength: 0,
    };
  }

  private remember({ id, event, offset }: Happened): void {
    if (event.type === 'QueueDeleted') {
      this.queues.delete(id);
      return;
    }
    if (event.type === 'QueueCreated' || event.type === 'QueueConfigured') {
      this.queues.set(id, event);
      return;
    }
    const message = this.messages.get(id);
    if (event.type === 'MessagePublished') {
      const { queueName, notBefore, maxRetries, labels } = event;
      const isCalledBack = labels.length > 0;
      const name = queueName as QueueName | null;
      this.messages.set(id, new Message(id, name, maxRetries, isCalledBack, notBefore));
    } else if (message !== undefined && event.type === 'AttemptFailed') {
      message.retries -= 1;
      message.notBefore = event.retryAt;
    } else if (message !== undefined && event.type === 'MessageRescheduled') {
      message.notBefore = event.notBefore;
    } else if (message !== undefined) {
      message.isFinal = true;
    }
    const remembered = this.messages.get(id);
    if (remembered !== undefined) remembered.lastOffset = offset;
  }

  private reconcile(message: Message | undefined): void {
    const durableEnd = (this.durable.at(-1)?.at(-1)?.offset ?? -1) + 1;
    if (message === undefined || message.lastOffset >= durableEnd) return;
    const { attempt } = message;
    const isWanted = !message.isFinal && message.notBefore <= this.now;
    if (!isWanted && attempt?.isRunning === false && attempt.admission !== null) {
      this.gates.leave(attempt.admission);
      message.attempt = null;
    }
    if (!isWanted || attempt !== null) return;
    message.attempt = new Attempt(message, this);
    message.attempt.admission = this.gates.admit(message.attempt);
  }
}

function created(id: string): Fact {
  return { kind: 'queue', id, event: { type: 'QueueCreated', ...defaultSettings } };
}
