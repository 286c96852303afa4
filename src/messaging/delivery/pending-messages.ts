/** Pending messages, which are accepted and not final: finds one, and cancels one or many. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchMany } from '../../engine/bulk/bulk-action.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import type { CancelMessage } from '../messages/message.commands.js';
import { Messages } from '../messages/message.entity.js';
import { messageKind, type Published } from '../messages/message.events.js';
import { isAmong, matchesOrigin, originTerms } from '../messages/message-filter.js';
import { isPublished, messageTerms } from '../messages/recorded-events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { CancelFilters } from './cancel.request.js';

/** How many are examined per tick, so that a million do not block the event loop. */
const itemsPerTick = 512;
/** The same, if examining a message may mean unpacking its state. */
const wakesPerTick = 512;

/** A cancel does not cut off an attempt in flight: its outcome is ignored, and its effect stays. */
@Injectable()
export class PendingMessages {
  constructor(
    private readonly engine: Engine,
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The journal offset of a pending message; null = it is final, or never existed. */
  offsetOf(id: string): Promise<number | null> {
    return this.messages.shown(() => this.messages.actors.firstOffsetOf(id) ?? null);
  }

  /** Cancels one message; refused as `not_found` if it is not pending. */
  async cancel(id: string, by: Principal | null): Promise<Outcome> {
    const offset = await this.offsetOf(id);
    const terms = offset === null ? [] : await this.stored.termsOf(offset);
    return this.messages.ask(this.command(id, terms), by);
  }

  /**
   * Cancels every pending message that matches, in turns of at most 256; returns how many. The cost
   * is in proportion to the pending messages or the hits of the index; only the messages of one
   * turn are in memory.
   */
  async cancelMatching(filters: CancelFilters, by: Principal | null): Promise<number> {
    const until = await this.messages.shown(() => this.journal.endOffset);
    return dispatchMany(this.engine, this.clock, this.cancels(filters, until), filters.count, by);
  }

  private async *cancels(filters: CancelFilters, until: number): AsyncGenerator<CancelMessage> {
    for await (const { id, event } of this.matching(filters, until)) {
      yield this.command(id, messageTerms(event));
    }
  }

  /** Only messages before `until`: those published later may not be durable yet. */
  private async *matching(filters: CancelFilters, until: number): AsyncGenerator<Published> {
    for await (const published of this.candidates(filters, until)) {
      const { at, event } = published;
      if (matchesOrigin(event, at, filters)) yield published;
    }
  }

  /** The publishes of pending messages; they include all that match. */
  private candidates(filters: CancelFilters, until: number): AsyncGenerator<Published> {
    if (filters.messageIds !== null) return this.readBack(this.named(filters.messageIds, until));
    // Fields that memory holds are cheaper to look up in memory.
    const isKnownInMemory = filters.queueName !== null || filters.flowControlKey !== null;
    const terms = originTerms(filters);
    return terms.length === 0 || isKnownInMemory
      ? this.readBack(this.walked(filters, until))
      : this.indexed(terms, until);
  }

  private *named(ids: readonly string[], until: number): Generator<number> {
    for (const id of new Set(ids)) {
      const offset = this.messages.actors.firstOffsetOf(id);
      if (offset !== undefined && offset < until) yield offset;
    }
  }

  private async *walked(
    { queueName, flowControlKey }: CancelFilters,
    until: number,
  ): AsyncGenerator<number> {
    for await (const { actor } of this.messages.actors.walk(wakesPerTick)) {
      if (actor.state.status !== 'pending') continue;
      const { delivery } = actor.state;
      const isInQueue = isAmong(delivery.queueName, queueName);
      const isSelected = isInQueue && isAmong(delivery.flowControlKey, flowControlKey);
      if (isSelected && actor.firstOffset < until) yield actor.firstOffset;
    }
  }

  /**
   * The index covers the whole past, including attempts and messages that are final by now, so only
   * the publishes of pending messages are read.
   */
  private async *indexed(
    terms: readonly (readonly string[])[],
    until: number,
  ): AsyncGenerator<Published> {
    const { actors } = this.messages;
    const begun = new Set<number>();
    let from = until;
    for await (const id of actors.walkIds(itemsPerTick)) {
      const offset = actors.firstOffsetOf(id) ?? until;
      begun.add(offset);
      from = Math.min(from, offset);
    }
    const range = { terms, from, until, order: 'oldest' as const };
    yield* this.readBack(among(begun, this.journal.offsets(range)));
  }

  private async *readBack(offsets: AsyncIterable<number> | Iterable<number>) {
    for await (const envelope of this.journal.readEach(offsets)) {
      if (isPublished(envelope)) yield envelope;
    }
  }

  private command(id: string, terms: readonly string[]): CancelMessage {
    return { type: 'CancelMessage', kind: messageKind, id, at: this.clock.now(), terms };
  }
}

async function* among(known: ReadonlySet<number>, offsets: AsyncIterable<number>) {
  for await (const offset of offsets) if (known.has(offset)) yield offset;
}
