/** The messages that are accepted and not final: shown one by one, taken back one or many. */
import { dispatchMany } from '../engine/bulk-action.js';
import type { Clock } from '../engine/clock.js';
import type { EventEnvelope } from '../engine/decider.js';
import type { Engine } from '../engine/engine.js';
import type { Journal } from '../engine/journal.js';
import type { Payloads } from '../engine/payloads.js';
import type { Outcome } from '../engine/turn.js';
import type { CancelFilters } from './cancel.request.js';
import type { CancelMessage } from './message.commands.js';
import { type MessagePublished, messageKind } from './message.events.js';
import type { PendingMessage } from './message.state.js';
import { isAmong, matchesOrigin, originTerms } from './message-filter.js';
import { messageTerms } from './message-terms.js';

type Published = EventEnvelope<MessagePublished>;

/** So many are looked at per tick, so that a million of them do not hold the event loop. */
const looksPerTick = 4096;

export class PendingMessages {
  constructor(
    private readonly engine: Engine,
    private readonly journal: Journal,
    private readonly payloads: Payloads,
    private readonly clock: Clock,
  ) {}

  /** What a pending message was published with; null = it is final, or never was. */
  async find(id: string): Promise<Published | null> {
    const actor = this.engine.actors(messageKind).find(id);
    await this.engine.durable();
    return actor === undefined ? null : this.published(actor.firstOffset);
  }

  /** Takes one message back; refused as `not_found` where there is nothing to take back. */
  async cancel(id: string): Promise<Outcome | undefined> {
    const published = await this.find(id);
    const terms = published === null ? [] : messageTerms(published.event);
    const [outcome] = await this.engine.dispatch([this.command(id, terms)]);
    return outcome;
  }

  /**
   * Takes back every pending message that matches, in turns of at most 256; answers how many.
   * Costs what is pending or what the index finds, and holds one turn's messages in memory.
   */
  async cancelMatching(filters: CancelFilters): Promise<number> {
    const until = this.journal.endOffset;
    await this.engine.durable();
    return dispatchMany(this.engine, this.cancels(filters, until), filters.count);
  }

  private async *cancels(filters: CancelFilters, until: number): AsyncGenerator<CancelMessage> {
    for await (const { id, event } of this.matching(filters, until)) {
      yield this.command(id, messageTerms(event));
    }
  }

  /** Only those before `until`: what was published since may not be durable yet. */
  private async *matching(filters: CancelFilters, until: number): AsyncGenerator<Published> {
    for await (const offset of this.candidates(filters)) {
      if (offset >= until) continue;
      const published = await this.published(offset);
      const { at, event } = published;
      if (matchesOrigin(event, at, filters)) yield published;
    }
  }

  /** Offsets of the `MessagePublished` of pending messages, among them all that match. */
  private candidates(filters: CancelFilters): AsyncIterable<number> | Iterable<number> {
    if (filters.messageIds !== null) return this.named(filters.messageIds);
    // What memory knows of a message itself is cheaper to ask for there.
    const isKnownInMemory = filters.queueName !== null || filters.flowControlKey !== null;
    const terms = originTerms(filters);
    return terms.length === 0 || isKnownInMemory ? this.walked(filters) : this.indexed(terms);
  }

  private *named(ids: readonly string[]): Generator<number> {
    for (const id of new Set(ids)) {
      const actor = this.engine.actors(messageKind).find(id);
      if (actor !== undefined) yield actor.firstOffset;
    }
  }

  private async *walked({ queueName, flowControlKey }: CancelFilters): AsyncGenerator<number> {
    for await (const { actor } of this.engine.actors(messageKind).walk(looksPerTick)) {
      const { delivery } = actor.state as PendingMessage;
      const isInQueue = isAmong(delivery.queueName, queueName);
      if (isInQueue && isAmong(delivery.flowControlKey, flowControlKey)) yield actor.firstOffset;
    }
  }

  /** The index knows all of the past: what is older than everything pending is left out. */
  private async *indexed(terms: readonly (readonly string[])[]): AsyncGenerator<number> {
    const actors = this.engine.actors(messageKind);
    const until = this.journal.endOffset;
    let from = until;
    for await (const { actor } of actors.walk(looksPerTick)) {
      from = Math.min(from, actor.firstOffset);
    }
    for await (const { id, offset } of this.journal.query({
      terms,
      from,
      until,
      order: 'oldest',
    })) {
      if (actors.find(id)?.firstOffset === offset) yield offset;
    }
  }

  private async published(offset: number): Promise<Published> {
    return (await this.payloads.read(offset)) as Published;
  }

  private command(id: string, terms: readonly string[]): CancelMessage {
    return { type: 'CancelMessage', kind: messageKind, id, at: this.clock.now(), terms };
  }
}
