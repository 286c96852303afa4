/** Deletes a queue together with its pending messages. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import { turnCommandsMax } from '../../engine/turn.js';
import { valueIn } from '../../http/outcome.js';
import type { CancelMessage } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { type DeleteQueue, type EnsureQueue, queueKind } from './queue.commands.js';
import type { QueueEvent } from './queue.events.js';
import { QueueEntries } from './queue-entries.js';
import type { QueueEntry } from './queue-entry.js';

/** One less than fits, because the last turn also deletes the queue. */
const cancelsPerTurn = turnCommandsMax - 1;

/** A crash in between leaves the queue with fewer messages; the request can be repeated. */
@Injectable()
export class QueueRemoval {
  constructor(
    private readonly engine: Engine,
    private readonly stored: StoredMessages,
    private readonly entries: QueueEntries,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Cancels in turns of at most 256 commands, the last of which also deletes the queue. Messages
   * that hold a slot are canceled last, so that no entry moves up meanwhile. Callbacks that were
   * already sent continue. Throws the 404 of a queue that does not exist.
   */
  async remove(name: string, by: Principal | null): Promise<void> {
    await this.engine.durable();
    const pending = [...this.entries.pendingOf(name)].reverse();
    let from = 0;
    for (; from + cancelsPerTurn < pending.length; from += cancelsPerTurn) {
      const slice = pending.slice(from, from + cancelsPerTurn);
      await this.engine.dispatch(await this.cancels(slice), by);
    }
    const at = this.clock.now();
    const deletion: DeleteQueue = { type: 'DeleteQueue', kind: queueKind, id: name, at };
    const cancels = await this.cancels(pending.slice(from));
    const outcomes = await this.engine.dispatch([...cancels, deletion], by);
    const deleted = outcomes.at(-1);
    if (deleted !== undefined) valueIn(deleted);
  }

  /** Recreates a queue if messages were enqueued during its deletion: each of them has a queue. */
  readonly listener: EventListener<QueueEvent> = (envelopes) => {
    for (const { id, at, event } of envelopes) {
      if (event.type !== 'QueueDeleted') continue;
      if (this.entries.lagOf(id) === 0) continue;
      const creation: EnsureQueue = { type: 'EnsureQueue', kind: queueKind, id, at };
      this.engine.dispatchAndForget([creation]);
    }
  };

  private cancels(entries: readonly QueueEntry[]): Promise<Command[]> {
    return Promise.all(entries.map((entry) => this.cancel(entry)));
  }

  private async cancel({ messageId: id, offset }: QueueEntry): Promise<CancelMessage> {
    const terms = await this.stored.termsOf(offset);
    return { type: 'CancelMessage', kind: messageKind, id, at: this.clock.now(), terms };
  }
}
