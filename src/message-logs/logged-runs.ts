/** The runs that a page of the logs tells of, read back from the journal. */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../engine/decider.js';
import type { Journal } from '../engine/journal.js';
import { messageTerm } from '../messages/message-terms.js';
import { type RunEnd, type RunEvent, type RunStarted, runKind } from '../workflows/run.events.js';
import { startedRunTerm } from '../workflows/run-terms.js';
import { isRunEnd } from './run-log-entry.js';

/** How a run began. */
export type Started = EventEnvelope<RunStarted>;

/** What one page keeps at hand, in bytes: a payload is a view of all that was read with it. */
const keptBytesMax = 16 * 1024 * 1024;
const readBytes = 32 * 1024;

/** A run, and the last of its events that were met. */
interface Met {
  readonly started: Started;
  readonly upTo: number;
}

export class LoggedRuns {
  private readonly met = new LRUCache<string, Met>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ started }) => readBytes + (started.body?.length ?? 0),
  });

  /** `spend` is called for every event that has to be read. */
  constructor(
    private readonly journal: Journal,
    private readonly spend: () => void,
  ) {}

  /** How the run of an event began; null where that has left the journal. */
  async of(envelope: EventEnvelope<RunEvent>): Promise<Started | null> {
    const { id, offset, previous } = envelope;
    if (isStarted(envelope)) return this.meet(envelope, offset);
    // Another run may have had the name before, or have it since.
    const met = this.met.get(id);
    if (met !== undefined && offset > met.started.offset) {
      if (offset <= met.upTo) return met.started;
      if (previous >= met.started.offset && previous <= met.upTo) {
        return this.meet(met.started, offset);
      }
    }
    const started = await this.before(id, offset);
    return started === null ? null : this.meet(started, offset);
  }

  /** The run of this name that began at `from` or after it, before `until`. */
  next(runId: string, from: number, until: number): Promise<Started | null> {
    return this.first(runId, 'oldest', from, until);
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

  private meet(started: Started, upTo: number): Started {
    this.met.set(started.id, { started, upTo });
    return started;
  }

  private async first(
    runId: string,
    order: 'oldest' | 'newest',
    from: number,
    until: number,
  ): Promise<Started | null> {
    const terms = [[messageTerm.runId(runId)], [startedRunTerm]];
    for await (const envelope of this.journal.query({ terms, from, until, order })) {
      this.spend();
      if (isOf(envelope, runId) && isStarted(envelope)) return envelope;
    }
    return null;
  }
}

/** Whether an event is one of a run, of whichever. */
export function isRunEvent(envelope: EventEnvelope): envelope is EventEnvelope<RunEvent> {
  return envelope.kind === runKind;
}

export function isStarted(envelope: EventEnvelope): envelope is Started {
  return envelope.kind === runKind && envelope.event.type === 'RunStarted';
}

function isOf(envelope: EventEnvelope, id: string): envelope is EventEnvelope<RunEvent> {
  return isRunEvent(envelope) && envelope.id === id;
}
