/** The messages that are accepted and not final: shown one by one, taken back one or many. */
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

/** So many are looked at per tick, so that a million of them do not hold the event loop. */
const looksPerTick = 512;
/** Fewer where what is looked at may have to be unpacked. */
const wakesPerTick = 512;

/**
 * An attempt in flight is not cut by a cancel: its outcome is ignored, and what it did stays done.
 */
@Injectable()
export class PendingMessages {
  constructor(
    private readonly engine: Engine,
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Where the journal holds a pending message; null = it is final, or never was. */
  offsetOf(id: string): Promise<number | null> {
    return this.messages.shown(() => this.messages.actors.firstOffsetOf(id) ?? null);
  }

  /** Takes one message back; refused as `not_found` where there is nothing to take back. */
  async cancel(id: string, by: Principal | null): Promise<Outcome> {
    const offset = await this.offsetOf(id);
    const terms = offset === null ? [] : await this.stored.termsOf(offset);
    return this.messages.ask(this.command(id, terms), by);
  }

  /**
   * Takes back every pending message that matches, in turns of at most 256; answers how many.
   * Costs what is pending or what the index finds, and holds one turn's messages in memory.
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

  /** Only those before `until`: what was published since may not be durable yet. */
  private async *matching(filters: CancelFilters, until: number): AsyncGenerator<Published> {
    for await (const published of this.candidates(filters, until)) {
      const { at, event } = published;
      if (matchesOrigin(event, at, filters)) yield published;
    }
  }

  /** What pending messages were published with, among them all that match. */
  private candidates(filters: CancelFilters, until: number): AsyncGenerator<Published> {
    if (filters.messageIds !== null) return this.readBack(this.named(filters.messageIds, until));
    // What memory knows of a message itself is cheaper to look up there.
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
      const isMeant = isInQueue && isAmong(delivery.flowControlKey, flowControlKey);
      if (isMeant && actor.firstOffset < until) yield actor.firstOffset;
    }
  }

  /**
   * The index knows all of the past, attempts and what is final by now too: only what began a
   * message that is pending is read.
   */
  private async *indexed(
    terms: readonly (readonly string[])[],
    until: number,
  ): AsyncGenerator<Published> {
    const { actors } = this.messages;
    const begun = new Set<number>();
    let from = until;
    for await (const id of actors.walkIds(looksPerTick)) {
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
