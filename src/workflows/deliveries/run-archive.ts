/**
 * Reads runs from the journal: their events, and their state at an earlier time. Caches the events
 * from which deliveries are composed.
 */
import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunConfiguration, RunEvent } from '../run-state/run.events.js';
import { evolveRun, initialRun, type RunState } from '../run-state/run.machine.js';

type Recorded = EventEnvelope<RunEvent>;

/**
 * Offsets must be those of events of runs; others are an error. Rejects if the journal cannot be
 * read. The events that an existing run needs are never swept.
 */
@Injectable()
export class RunArchive {
  constructor(
    private readonly journal: Journal,
    private readonly payloads: Payloads,
  ) {}

  /** The events that `listener` observes. */
  readonly interest: Interest<RunEvent> = {
    types: {
      RunStarted: true,
      RunReconfigured: true,
      StepStored: true,
      StepEdited: true,
      WaitEnded: true,
      InvocationEnded: true,
    },
  };

  /** Puts events that will be delivered soon into the cache. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const envelope of envelopes) this.payloads.remember(envelope);
  };

  /** Removes the event at `offset` from the cache, because it is no longer delivered from there. */
  forget(offset: number): void {
    this.payloads.forget(offset);
  }

  /** The event of a run at `offset`; synchronous if it is cached. */
  eventAt(offset: number): Recorded | Promise<Recorded> {
    const read = this.payloads.read(offset);
    return read instanceof Promise ? read.then(ofRun) : ofRun(read);
  }

  /** The configuration of a run that the event at `offset` holds. */
  async configurationAt(offset: number): Promise<RunConfiguration> {
    const { id, event } = await this.eventAt(offset);
    if (!('configuration' in event)) throw new Error(`${id} was not configured at ${offset}`);
    return event.configuration;
  }

  /**
   * The state of a run after its events in [`startedOffset`, `until`); reads all of these events.
   */
  async stateOf(runId: string, startedOffset: number, until: number): Promise<RunState> {
    let state = initialRun();
    for await (const envelope of this.journal.find(runId, startedOffset, until)) {
      if (isRunEvent(envelope)) state = evolveRun(state, envelope.event, envelope);
    }
    return state;
  }
}

function ofRun(envelope: EventEnvelope): Recorded {
  if (isRunEvent(envelope)) return envelope;
  throw new Error(`the event at ${envelope.offset} is one of ${envelope.kind} ${envelope.id}`);
}
