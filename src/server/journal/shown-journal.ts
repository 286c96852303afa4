/** The journal of a running server as shown over HTTP: only durable events, and without secrets. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { JournalAroundDamage } from '../../engine/reading/journal-around-damage.js';
import { Refusal } from '../../grammar/result.js';
import {
  EventStream,
  type EventStreamReader,
  foreignEvent,
} from '../../http/bytes/event-stream.js';
import type { ReadAllowance } from '../../http/bytes/in-flight.js';
import { StreamPlaces } from '../../http/bytes/stream-places.js';
import { RevealRecorder } from '../reveals/reveal-recorder.js';
import { type EntityMoment, entityAt } from './entity-moment.js';
import { EventRedactions } from './event-redactions.js';
import type { ActivityQuestion, EntityQuestion, JournalQuestion } from './journal.request.js';
import { type ActivityBucket, activityOf } from './journal-activity.js';
import { JournalPieces } from './journal-answers.js';
import { journalJson } from './journal-line.js';
import { offsetBehind, offsetFrom, sweptBefore } from './journal-moment.js';
import { type JournalSelection, lookedAt } from './journal-selection.js';
import { JournalStream } from './journal-stream.js';

/** How many streams may be open at once: each reads everything that is recorded. */
const streamsMax = 32;

/** How many streams' redactions are remembered in one answer. */
const redactionsMax = 4096;

const busy = new Refusal(
  'unavailable',
  `${streamsMax} clients follow the journal: no more can at the same time`,
  { 'retry-after': '10' },
);

/**
 * Refusals are returned as values: 422 for a moment before the last sweep, 503 if too many streams
 * are open or a stop has begun, 400 for parameters that cannot be combined.
 */
@Injectable()
export class ShownJournal {
  private readonly streams = new StreamPlaces<JournalStream>(streamsMax);

  constructor(
    private readonly engine: Engine,
    private readonly sweeps: JournalSweeps,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
    private readonly reveals: RevealRecorder,
  ) {}

  /** One page for the request of `by`; showing something in clear is recorded as an event first. */
  async page(
    question: JournalQuestion,
    room: ReadAllowance,
    by: Caller,
  ): Promise<JournalPieces | Refusal> {
    const { cursor, count, hasBodies, selected, isRevealed } = question;
    const selection = await this.selectionOf(question);
    const isNewest = selected.order === 'newest';
    const { from, until } = selection;
    const rest =
      cursor === null
        ? selection
        : isNewest
          ? { ...selection, until: Math.min(cursor, until) }
          : { ...selection, from: Math.max(cursor, from) };
    if (isRevealed) {
      const part = {
        from: rest.from,
        until: rest.until,
        stream: selected.stream,
        bodies: hasBodies,
      };
      const refusal = await this.reveals.record({ what: 'events', ...part }, by);
      if (refusal !== null) return refusal;
    }
    const damage = new DamageNotes();
    return new JournalPieces(
      lookedAt(new JournalAroundDamage(this.journal, damage), rest),
      {
        count,
        damage,
        lineOf: this.lines(hasBodies, isRevealed),
        cursorAfter: (offset) => (isNewest ? offset : offset + 1),
      },
      room,
    );
  }

  /** Follows the journal after the event `last`, or from where the query says, or from now. */
  async stream(
    question: JournalQuestion,
    last: number | null,
  ): Promise<((reader: EventStreamReader) => Promise<void>) | Refusal> {
    if (question.selected.order === 'newest') {
      return new Refusal('invalid', 'a stream always shows the oldest events first');
    }
    if (question.isRevealed) {
      return new Refusal('invalid', 'a stream shows nothing in clear: ask for pages');
    }
    if (last !== null && last >= this.journal.highWatermark) return foreignEvent;
    if (!this.streams.hasPlace) return busy;
    const selection = await this.selectionOf(question);
    if (!this.streams.hasPlace) return busy;
    const serve = this.streams.keepPlace();
    const { journal } = this;
    const begins = question.from === null ? journal.highWatermark : selection.from;
    const from = last === null ? begins : Math.max(last + 1, journal.startOffset);
    const until = question.until === null ? Number.MAX_SAFE_INTEGER : selection.until;
    return (reader) => {
      const jsonOf = this.lines(question.hasBodies, false);
      const events = new EventStream(reader, this.clock);
      const stream = new JournalStream(journal, events, jsonOf);
      return serve(stream, () => stream.run({ ...selection, from, until }));
    };
  }

  /** Counts events by time; ends early once `isWanted` says that the client has disconnected. */
  activity(question: ActivityQuestion, isWanted: () => boolean): Promise<ActivityBucket[]> {
    return activityOf(this.journal, question, isWanted);
  }

  /**
   * One entity for the request of `by`; showing something in clear is recorded as an event first.
   */
  async entity(
    { stream, asOf, isRevealed }: EntityQuestion,
    by: Caller,
  ): Promise<EntityMoment | Refusal> {
    const { engine, journal } = this;
    const until = asOf === null ? journal.highWatermark : await offsetBehind(journal, asOf);
    if (isRevealed) {
      const part = { from: journal.startOffset, until, stream, bodies: false };
      const refusal = await this.reveals.record({ what: 'entity', ...part }, by);
      if (refusal !== null) return refusal;
    }
    const redactions = isRevealed ? null : new EventRedactions(journal, redactionsMax);
    const found = await entityAt(engine, journal, redactions, stream, until);
    const isUnknown = found instanceof Refusal && found.code === 'not_found' && asOf !== null;
    return isUnknown && until < this.sweeps.edge ? sweptBefore(until) : found;
  }

  /** The number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Ends every stream, and accepts no new ones. */
  stop(): void {
    this.streams.stop();
  }

  private lines(
    hasBodies: boolean,
    isRevealed: boolean,
  ): (envelope: EventEnvelope) => Promise<string> {
    if (isRevealed) return async (envelope) => journalJson(envelope, null, hasBodies);
    const redactions = new EventRedactions(this.journal, redactionsMax);
    return async (envelope) => journalJson(envelope, await redactions.of(envelope), hasBodies);
  }

  private async selectionOf(question: JournalQuestion): Promise<JournalSelection> {
    const { journal } = this;
    const { from, until, selected } = question;
    return {
      ...selected,
      from: from === null ? journal.startOffset : await offsetFrom(journal, from),
      until: until === null ? journal.highWatermark : await offsetBehind(journal, until),
    };
  }
}
