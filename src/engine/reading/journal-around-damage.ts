/**
 * A journal for listings: unreadable events are noted and skipped, so that one damaged batch does
 * not hide all intact ones. Code that changes state must not read like this.
 */
import type { EventEnvelope } from '../decider.js';
import { DamagedData, type Journal, type JournalQuery } from '../journal.js';
import type { DamageNotes } from './damage-notes.js';

type Reads = Pick<
  Journal,
  | 'startOffset'
  | 'highWatermark'
  | 'endOffset'
  | 'read'
  | 'readEach'
  | 'readStream'
  | 'query'
  | 'offsets'
  | 'offsetFor'
>;

/** What listings use of a journal. */
export interface JournalReader extends Reads {
  /** A reader for one consumer: what it has read last is not read again. */
  remembering(): JournalReader;
}

/** The search for the end of damage stops after this many intact events in a row. */
const intactMin = 64;

/** How many damaged events one answer may meet in single reads; then it fails as a whole. */
const singlesMax = 4096;

/**
 * Made for one answer. After a bounded number of reads that met damage it throws the next error: an
 * answer that is mostly damage would take too long.
 */
export class JournalAroundDamage implements JournalReader {
  private readonly journal: JournalReader;
  private singles = 0;

  /** `damage` collects the damage of this answer. */
  constructor(
    journal: JournalReader,
    private readonly damage: DamageNotes,
  ) {
    this.journal = journal.remembering();
  }

  remembering(): this {
    return this;
  }

  get startOffset(): number {
    return this.journal.startOffset;
  }

  get highWatermark(): number {
    return this.journal.highWatermark;
  }

  get endOffset(): number {
    return this.journal.endOffset;
  }

  /** Rejects with `DamagedData`: the offset of a time cannot be found around damage. */
  offsetFor(time: number): Promise<number> {
    return this.journal.offsetFor(time);
  }

  /** Also null if the event is damaged. */
  async read(offset: number): Promise<EventEnvelope | null> {
    try {
      return await this.journal.read(offset);
    } catch (error) {
      this.noteOneMore(error);
      return null;
    }
  }

  /** Also null for each event that is damaged. */
  async *readEach(
    offsets: AsyncIterable<number> | Iterable<number>,
    taken?: number,
  ): AsyncGenerator<EventEnvelope | null> {
    const asked = iteratorOf(offsets);
    const pending: number[] = [];
    try {
      for (let isOver = false; !isOver; ) {
        try {
          const found = this.journal.readEach(this.remembered(asked, pending), taken);
          for await (const envelope of found) {
            pending.shift();
            yield envelope;
          }
          isOver = true;
        } catch (error) {
          if (!(error instanceof DamagedData)) throw error;
          // Events read together with a damaged one may be intact: each is read separately.
          for (const offset of pending.splice(0)) yield await this.read(offset);
        }
      }
    } finally {
      await asked.return?.();
    }
  }

  /** Ends at a damaged event of the stream: only that event says where the previous one is. */
  async *readStream(lastOffset: number): AsyncGenerator<EventEnvelope> {
    for (let offset = lastOffset; offset >= this.startOffset; ) {
      const envelope = await this.read(offset);
      if (envelope === null) return;
      yield envelope;
      offset = envelope.previous;
    }
  }

  /** Leaves out damaged events. */
  async *query(query: JournalQuery): AsyncGenerator<EventEnvelope> {
    const found =
      query.terms.length > 0 ? this.readEach(this.journal.offsets(query)) : this.scan(query);
    for await (const envelope of found) if (envelope !== null) yield envelope;
  }

  /** As found by the index, which is not damaged. */
  offsets(query: JournalQuery): AsyncGenerator<number> {
    return this.journal.offsets(query);
  }

  private async *scan(query: JournalQuery): AsyncGenerator<EventEnvelope | null> {
    const isBackwards = query.order === 'newest';
    let from = Math.max(query.from, this.startOffset);
    let until = Math.min(query.until, this.highWatermark);
    while (from < until) {
      try {
        for await (const envelope of this.journal.query({ ...query, from, until })) {
          yield envelope;
          if (isBackwards) until = envelope.offset;
          else from = envelope.offset + 1;
        }
        return;
      } catch (error) {
        this.damage.note(error);
      }
      // The damage is in what was to be read next.
      const behind = yield* this.passed(from, until, isBackwards);
      if (isBackwards) until = behind;
      else from = behind;
    }
  }

  /** Reads event by event until enough behind the damage are intact; returns where that ends. */
  private async *passed(
    from: number,
    until: number,
    isBackwards: boolean,
  ): AsyncGenerator<EventEnvelope | null, number> {
    let at = isBackwards ? until - 1 : from;
    let intact = 0;
    let isMet = false;
    while (at >= from && at < until && !(isMet && intact >= intactMin)) {
      const { singles } = this;
      yield await this.read(at);
      const isDamaged = this.singles > singles;
      isMet ||= isDamaged;
      intact = isDamaged ? 0 : intact + 1;
      at += isBackwards ? -1 : 1;
    }
    return isBackwards ? at + 1 : at;
  }

  /** Adds each item taken to `taken`; the iterator stays open if its reader stops. */
  private async *remembered(
    items: Iterator<number> | AsyncIterator<number>,
    taken: number[],
  ): AsyncGenerator<number> {
    try {
      for (let next = await items.next(); next.done !== true; next = await items.next()) {
        taken.push(next.value);
        yield next.value;
      }
    } catch (error) {
      this.damage.note(error);
    }
  }

  private noteOneMore(error: unknown): void {
    this.damage.note(error);
    this.singles += 1;
    if (this.singles > singlesMax) throw error;
  }
}

function iteratorOf<Item>(items: AsyncIterable<Item> | Iterable<Item>) {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
