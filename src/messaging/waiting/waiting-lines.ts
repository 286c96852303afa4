/** The messages that wait in a queue or under a flow-control key, in order and with their times. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { type PendingState, pendingState } from '../delivery/pending-state.js';
import { FlowControls } from '../flow-control/flow-control.entity.js';
import { FlowControlGate } from '../flow-control/flow-control-gate.js';
import { Messages } from '../messages/message.entity.js';
import { Queues } from '../queues/queue.entity.js';
import { QueueEntries } from '../queues/queue-entries.js';
import type { QueueEntry } from '../queues/queue-entry.js';

/** A message in a line; times in Unix milliseconds. */
export interface WaitingMessage {
  readonly messageId: string;
  /** `CALLBACKS`: the message is final but its callbacks are not, so it keeps its place. */
  readonly state: PendingState | 'CALLBACKS';
  /** When it joined the line or became due; absent while it is delayed. */
  readonly since?: number;
  /** No attempt starts before this time. */
  readonly nextDeliveryTime?: number;
}

/** A queue and the messages in it. */
export interface QueueLine {
  readonly queueName: string;
  readonly paused: boolean;
  readonly parallelism: number;
  /** How many messages of the queue are not final. */
  readonly lag: number;
  readonly waiting: readonly WaitingMessage[];
}

/** A flow-control key and the messages that wait under it. */
export interface KeyLine {
  readonly flowControlKey: string;
  readonly isPaused: boolean;
  /** How many messages wait in total. */
  readonly waitListSize: number;
  readonly waiting: readonly WaitingMessage[];
}

/** Every answer shows one durable moment. */
@Injectable()
export class WaitingLines {
  constructor(
    private readonly messages: Messages,
    private readonly queues: Queues,
    private readonly entries: QueueEntries,
    private readonly keys: FlowControls,
    private readonly gate: FlowControlGate,
    private readonly calls: EndpointCalls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The first `count` messages of a queue, those with a slot first. null = no such queue. */
  ofQueue(queueName: string, count: number): Promise<QueueLine | null> {
    return this.messages.shown(() => {
      const state = this.queues.stateOf(queueName);
      if (state === null) return null;
      const waiting = this.entries.first(queueName, count).map((entry) => this.inQueue(entry));
      const { isPaused: paused, parallelism } = state;
      return { queueName, paused, parallelism, lag: this.entries.lagOf(queueName), waiting };
    });
  }

  /** The first `count` that wait under a key, without those in flight. null = no such key. */
  ofKey(flowControlKey: string, count: number): Promise<KeyLine | null> {
    return this.messages.shown(() => {
      const control = this.keys.stateOf(flowControlKey);
      if (control === null) return null;
      const waiting = this.gate.waiting(flowControlKey, count).flatMap((id) => this.due(id) ?? []);
      const { waiting: waitListSize } = this.gate.look(flowControlKey);
      return { flowControlKey, isPaused: control.isPaused, waitListSize, waiting };
    });
  }

  private inQueue({ messageId, place, joinsAt }: QueueEntry): WaitingMessage {
    const since = place === 0 ? {} : { since: joinsAt };
    const message = this.messages.pending(messageId);
    if (message === undefined) return { messageId, state: 'CALLBACKS', ...since };
    const startedAt = this.calls.startedAt(messageId);
    const state = pendingState(message, startedAt, this.clock.now());
    return { messageId, state, ...since, nextDeliveryTime: message.notBefore };
  }

  private due(messageId: string): WaitingMessage | null {
    const message = this.messages.pending(messageId);
    if (message === undefined) return null;
    const { notBefore } = message;
    return { messageId, state: 'WAITING', since: notBefore, nextDeliveryTime: notBefore };
  }
}
