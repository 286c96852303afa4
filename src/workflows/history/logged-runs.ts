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

/** How a run began. */
export type Started = EventEnvelope<RunStarted>;

/** How its endpoint took it over. */
export type TakenOver = EventEnvelope<RunReconfigured>;

/** A run as it was to be called when something happened to it. */
export interface LoggedRun {
  readonly started: Started;
  readonly configuration: RunConfiguration;
}

/** What one page caches, in bytes: a payload is a view of all that was read with it. */
const keptBytesMax = 16 * 1024 * 1024;
const readBytes = 32 * 1024;

/** A run, and the last of its events that were met. */
interface Met {
  readonly started: Started;
  /** null = it was not, up to there; it is once at most. */
  readonly takenOver: TakenOver | null;
  readonly upTo: number;
}

/** Made for one page or stream; what it keeps is bounded in bytes. */
export class LoggedRuns {
  private readonly met = new LRUCache<string, Met>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ started }) => readBytes + (started.body?.length ?? 0),
  });

  /** `spend` is called for every event that has to be read. */
  constructor(
    private readonly journal: JournalReader,
    private readonly spend: () => void,
  ) {}

  /** The run of an event, as it was then; null where its beginning has left the journal. */
  async of(envelope: EventEnvelope<RunEvent>): Promise<LoggedRun | null> {
    const met = this.known(envelope) ?? (await this.configured(envelope));
    if (met === null) return null;
    this.met.set(envelope.id, met);
    const { started, takenOver } = met;
    const isSince = takenOver !== null && takenOver.offset <= envelope.offset;
    return { started, configuration: (isSince ? takenOver : started).event.configuration };
  }

  /** The run of this name that began at `from` or after it, before `until`. */
  next(runId: string, from: number, until: number): Promise<Started | null> {
    return this.first(runId, 'oldest', from, until);
  }

  /** The run of this name whose first message this was, before `until`. */
  begunBy(runId: string, messageId: string, until: number): Promise<Started | null> {
    const isMeant = ({ event }: Started) => event.messageId === messageId;
    return this.first(runId, 'newest', 0, until, isMeant);
  }

  /** The latest run of this name that began before `offset`. */
  before(runId: string, offset: number): Promise<Started | null> {
    return this.first(runId, 'newest', 0, offset);
  }

  /** How a run ended before `until`; null = it has not. */
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

  /** The run of an event, as far as others of its events were met. */
  private known(envelope: EventEnvelope<RunEvent>): Met | undefined {
    const { id, offset, previous } = envelope;
    const met = this.met.get(id);
    // Another run may have had the name before, or have it since.
    if (met === undefined || offset <= met.started.offset) return undefined;
    if (offset <= met.upTo) return met;
    const follows = previous >= met.started.offset && previous <= met.upTo;
    return follows && !isTakenOver(envelope) ? { ...met, upTo: offset } : undefined;
  }

  /** The run of an event, by the events that say how it is to be called. */
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
    isMeant: (started: Started) => boolean = () => true,
  ): Promise<Started | null> {
    const terms = [[messageTerm.runId(runId)], [configuredRunTerm]];
    for await (const envelope of this.journal.query({ terms, from, until, order })) {
      this.spend();
      if (isOf(envelope, runId) && isStarted(envelope) && isMeant(envelope)) return envelope;
    }
    return null;
  }
}

/** Of any events: those by which a run begins. */
export function isStarted(envelope: EventEnvelope): envelope is Started {
  return isRunEvent(envelope) && envelope.event.type === 'RunStarted';
}

/** Of any events: those by which a run is taken over by its endpoint. */
export function isTakenOver(envelope: EventEnvelope): envelope is TakenOver {
  return isRunEvent(envelope) && envelope.event.type === 'RunReconfigured';
}

function isOf(envelope: EventEnvelope, id: string): envelope is EventEnvelope<RunEvent> {
  return isRunEvent(envelope) && envelope.id === id;
}
