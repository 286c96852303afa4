/** The runs that a page of the logs shows, read back from the journal. */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { configuredRunTerm, isRunEvent } from '../run-state/recorded-events.js';
import type {
  RunConfiguration,
  RunEnd,
  RunEvent,
  RunReconfigured,
  RunStarted,
} from '../run-state/run.events.js';
import { isRunEnd } from './run-log-entry.js';

/** The start of a run. */
export type Started = EventEnvelope<RunStarted>;

/** The takeover of a run by its endpoint. */
export type TakenOver = EventEnvelope<RunReconfigured>;

/** A run with the configuration that was in force when something happened to it. */
export interface LoggedRun {
  readonly started: Started;
  readonly configuration: RunConfiguration;
}

/** The most bytes that one page caches; a payload counts with the whole buffer it was read into. */
const keptBytesMax = 16 * 1024 * 1024;
const readBytes = 32 * 1024;

/** A run, and how far its events have been read. */
interface Met {
  readonly started: Started;
  /** null = not taken over before `upTo`; a run is taken over at most once. */
  readonly takenOver: TakenOver | null;
  readonly upTo: number;
}

/** Created for one page or stream; its cache is bounded in bytes. */
export class LoggedRuns {
  private readonly met = new LRUCache<string, Met>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ started }) => readBytes + (started.body?.length ?? 0),
  });

  /** Calls `spend` for each event read. */
  constructor(
    private readonly journal: JournalReader,
    private readonly spend: () => void,
  ) {}

  /** The run of an event, as it was at that event; null if its start has left the journal. */
  async of(envelope: EventEnvelope<RunEvent>): Promise<LoggedRun | null> {
    const met = this.known(envelope) ?? (await this.configured(envelope));
    if (met === null) return null;
    this.met.set(envelope.id, met);
    const { started, takenOver } = met;
    const isSince = takenOver !== null && takenOver.offset <= envelope.offset;
    return { started, configuration: (isSince ? takenOver : started).event.configuration };
  }

  /** The first run of this id that started at or after `from` and before `until`. */
  next(runId: string, from: number, until: number): Promise<Started | null> {
    return this.first(runId, 'oldest', from, until);
  }

  /** The run of this id that started before `until` with this first message. */
  begunBy(runId: string, messageId: string, until: number): Promise<Started | null> {
    const isSelected = ({ event }: Started) => event.messageId === messageId;
    return this.first(runId, 'newest', 0, until, isSelected);
  }

  /** The latest run of this id that started before `offset`. */
  before(runId: string, offset: number): Promise<Started | null> {
    return this.first(runId, 'newest', 0, offset);
  }

  /** The end of a run before `until`; null = it had not ended. */
  async endOf({ id, offset }: Started, until: number): Promise<EventEnvelope<RunEnd> | null> {
    const namesake = await this.next(id, offset + 1, until);
    const range = { from: offset, until: namesake?.offset ?? until, order: 'newest' as const };
    const terms = [[messageTerm.runId(id)]];
    for await (const envelope of this.journal.query({ terms, ...range })) {
      this.spend();
      // A run does nothing after its end; its messages may.
      if (isOf(envelope, id)) return isRunEnd(envelope) ? envelope : null;
    }
    return null;
  }

  /** The run of an event, if the cache already knows enough of its other events. */
  private known(envelope: EventEnvelope<RunEvent>): Met | undefined {
    const { id, offset, previous } = envelope;
    const met = this.met.get(id);
    // Another run may have had the same id before, or may have it since.
    if (met === undefined || offset <= met.started.offset) return undefined;
    if (offset <= met.upTo) return met;
    const follows = previous >= met.started.offset && previous <= met.upTo;
    return follows && !isTakenOver(envelope) ? { ...met, upTo: offset } : undefined;
  }

  /** The run of an event, read from the events that set its configuration. */
  private async configured(envelope: EventEnvelope<RunEvent>): Promise<Met | null> {
    const { id, offset } = envelope;
    if (isStarted(envelope)) return { started: envelope, takenOver: null, upTo: offset };
    const terms = [[messageTerm.runId(id)], [configuredRunTerm]];
    const range = { from: 0, until: offset + 1, order: 'newest' as const };
    let takenOver: TakenOver | null = null;
    for await (const each of this.journal.query({ terms, ...range })) {
      this.spend();
      if (!isOf(each, id)) continue;
      if (isTakenOver(each)) takenOver = each;
      else if (isStarted(each)) return { started: each, takenOver, upTo: offset };
    }
    return null;
  }

  private async first(
    runId: string,
    order: 'oldest' | 'newest',
    from: number,
    until: number,
    isSelected: (started: Started) => boolean = () => true,
  ): Promise<Started | null> {
    const terms = [[messageTerm.runId(runId)], [configuredRunTerm]];
    for await (const envelope of this.journal.query({ terms, from, until, order })) {
      this.spend();
      if (isOf(envelope, runId) && isStarted(envelope) && isSelected(envelope)) return envelope;
    }
    return null;
  }
}

/** Whether an event starts a run. */
export function isStarted(envelope: EventEnvelope): envelope is Started {
  return isRunEvent(envelope) && envelope.event.type === 'RunStarted';
}

/** Whether an event is the takeover of a run by its endpoint. */
export function isTakenOver(envelope: EventEnvelope): envelope is TakenOver {
  return isRunEvent(envelope) && envelope.event.type === 'RunReconfigured';
}

function isOf(envelope: EventEnvelope, id: string): envelope is EventEnvelope<RunEvent> {
  return isRunEvent(envelope) && envelope.id === id;
}
