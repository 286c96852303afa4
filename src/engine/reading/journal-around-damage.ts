/**
 * A journal as a listing reads it: what does not read back is noted and passed over, so that one
 * damaged batch does not hide all that is intact. Nothing that changes state may read like this.
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

/** What listings read of a journal. */
export interface JournalReader extends Reads {
  /** The same for one reader: what it has read last is not read again. */
  remembering(): JournalReader;
}

/** So many intact events in a row, read one by one, end the search for where damage ends. */
const intactMin = 64;

/** One answer reads so many events one by one at most: behind that it fails as a whole. */
const singlesMax = 4096;

/**
 * Made for one answer. After a bounded number of reads that met damage it throws the next one: an
 * answer that is mostly damage would take too long.
 */
export class JournalAroundDamage implements JournalReader {
  private readonly journal: JournalReader;
  private singles = 0;

  /** For one answer. */
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

  /** null also where the event is damaged. */
  async read(offset: number): Promise<EventEnvelope | null> {
    try {
      return await this.journal.read(offset);
    } catch (error) {
      this.noteOneMore(error);
      return null;
    }
  }

  /** null also for each that is damaged. */
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
          // What was read together with it may be intact: each says for itself whether it is.
          for (const offset of pending.splice(0)) yield await this.read(offset);
        }
      }
    } finally {
      await asked.return?.();
    }
  }

  /** Ends where an event of the stream is damaged: it alone says where the one before stands. */
  async *readStream(lastOffset: number): AsyncGenerator<EventEnvelope> {
    for (let offset = lastOffset; offset >= this.startOffset; ) {
      const envelope = await this.read(offset);
      if (envelope === null) return;
      yield envelope;
      offset = envelope.previous;
    }
  }

  /** Without those that are damaged. */
  async *query(query: JournalQuery): AsyncGenerator<EventEnvelope> {
    const found =
      query.terms.length > 0 ? this.readEach(this.journal.offsets(query)) : this.scan(query);
    for await (const envelope of found) if (envelope !== null) yield envelope;
  }

  /** As the index finds them, which is not damaged. */
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
      // It lies in what was to be read next.
      const behind = yield* this.passed(from, until, isBackwards);
      if (isBackwards) until = behind;
      else from = behind;
    }
  }

  /** Reads event by event until some behind the damage are intact; returns where that ends. */
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

  /** What is taken of it is added to `taken`; it stays open where its reader stops. */
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
