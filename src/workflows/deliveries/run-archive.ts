/**
 * Runs as the journal has them: their events, and what they were once. What deliveries are put
 * together from is kept at hand.
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
 * Offsets must be those of events of runs: another one is an error. Rejects where the journal does
 * not read back; what a run that is there needs is never swept.
 */
@Injectable()
export class RunArchive {
  constructor(
    private readonly journal: Journal,
    private readonly payloads: Payloads,
  ) {}

  /** What `listener` observes. */
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

  /** Keeps what is about to be delivered in the cache. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const envelope of envelopes) this.payloads.remember(envelope);
  };

  /** What the event at `offset` brings is not delivered from the cache any more. */
  forget(offset: number): void {
    this.payloads.forget(offset);
  }

  /** The event of a run at `offset`, at once if it is cached. */
  eventAt(offset: number): Recorded | Promise<Recorded> {
    const read = this.payloads.read(offset);
    return read instanceof Promise ? read.then(ofRun) : ofRun(read);
  }

  /** The configuration of a run that the event at `offset` has brought. */
  async configurationAt(offset: number): Promise<RunConfiguration> {
    const { id, event } = await this.eventAt(offset);
    if (!('configuration' in event)) throw new Error(`${id} was not configured at ${offset}`);
    return event.configuration;
  }

  /** A run after its events in [`startedOffset`, `until`); costs what the run has. */
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
