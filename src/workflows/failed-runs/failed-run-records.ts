/** What the journal holds of a run that failed: how it was to run, how it failed, what it left. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { Payloads } from '../../engine/payloads.js';
import type { Attempt } from '../../messaging/dead-letters/last-answer.js';
import {
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from '../../messaging/messages/message.events.js';
import {
  type FailureCallbackNamed,
  type Inheritance,
  type InvocationEnded,
  type Invoker,
  type OpenInvocation,
  type RunConfiguration,
  type RunEnd,
  type RunEntry,
  type RunEvent,
  type RunFailed,
  runKind,
} from '../run-state/run.events.js';
import type { FailedRun } from './failed-runs.projection.js';

export type Published = EventEnvelope<MessagePublished>;

/** All that a run had when it failed; what grows is given as a list only when asked for. */
export interface RunRemains extends Omit<Inheritance, 'runId' | 'entries'> {
  readonly entries: { toArray(): readonly RunEntry[] };
}

/** What the workflows tell of runs. */
export interface RunArchives {
  /** A run as it was when it failed. */
  remainsOf(run: FailedRun): Promise<RunRemains>;
  /** What is told of it: its payload, or all of its entries as a JSON array. */
  bodyOf(run: FailedRun): Promise<Buffer | null>;
  /** The run that waits for the end of this active run; null = none, or it is not active. */
  invokerOf(runId: string): Invoker | null;
}

/** How a run that another one invoked has ended. */
export interface InvokedEnd extends Pick<InvocationEnded, 'outcome' | 'endOffset'> {
  /** Of what it returned. */
  readonly bytes: number;
}

const outcomes: Readonly<Record<RunEnd['type'], InvocationEnded['outcome']>> = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunCanceled: 'canceled',
};

type Configured = RunEvent & { readonly configuration: RunConfiguration };

export class FailedRunRecords {
  constructor(
    private readonly journal: Journal,
    private readonly payloads: Payloads,
    readonly archives: RunArchives,
  ) {}

  /** The event at `offset`, which is known to be one of this type. */
  async read<Event extends EventEnvelope['event']>(offset: number): Promise<EventEnvelope<Event>> {
    return (await this.payloads.read(offset)) as EventEnvelope<Event>;
  }

  failureOf({ offset }: FailedRun): Promise<EventEnvelope<RunFailed>> {
    return this.read(offset);
  }

  /** The last attempt of the message that it failed with; null = none was recorded at its end. */
  async attemptOf({ event }: EventEnvelope<RunFailed>): Promise<Attempt | null> {
    const ended = await this.read(event.attemptOffset);
    return 'durationMs' in ended.event ? (ended as Attempt) : null;
  }

  /** The configuration in force when it failed; a step may have named its failure callback. */
  async configurationOf(run: FailedRun): Promise<RunConfiguration> {
    const { configuration } = (await this.read<Configured>(run.configurationOffset)).event;
    const { event } = await this.read<Configured | FailureCallbackNamed>(run.failureCallbackOffset);
    if (event.type !== 'FailureCallbackNamed') return configuration;
    const { headers: failureHeaders, ...failureCallback } = event.callback;
    const terms = { ...configuration.terms, failureCallback };
    return { ...configuration, terms, failureHeaders };
  }

  /** Its payload, and the event beside which that stands: runs that restart one share it. */
  async payloadOf(run: FailedRun): Promise<{ readonly offset: number; readonly payload: Buffer }> {
    const { event } = await this.read<RunEvent>(run.startedOffset);
    if (event.type !== 'RunStarted') throw new Error(`${run.runId} did not begin there`);
    const offset = event.payloadOffset ?? run.startedOffset;
    const { body } = await this.read(offset);
    return { offset, payload: body ?? Buffer.alloc(0) };
  }

  /** What a message was published with. */
  async publishedAs(messageId: string): Promise<Published> {
    const { startOffset, endOffset } = this.journal;
    for await (const envelope of this.journal.find(messageId, startOffset, endOffset)) {
      const { type } = envelope.event as MessageEvent;
      if (envelope.kind === messageKind && type === 'MessagePublished') {
        return envelope as Published;
      }
    }
    throw new Error(`the journal does not hold message ${messageId}`);
  }

  /** How an invoked run has ended; null = it goes on. */
  async endOf({ runId, messageId }: OpenInvocation): Promise<InvokedEnd | null> {
    const { startOffset, endOffset } = this.journal;
    let isMeant = false;
    for await (const envelope of this.journal.find(runId, startOffset, endOffset)) {
      if (envelope.kind !== runKind) continue;
      const event = envelope.event as RunEvent;
      // Another run may have had the name before, or have it now.
      if (event.type === 'RunStarted') isMeant = event.messageId === messageId;
      else if (isMeant && isEnd(event)) {
        const bytes = envelope.body?.length ?? 0;
        return { outcome: outcomes[event.type], endOffset: envelope.offset, bytes };
      }
    }
    if (isMeant) return null;
    throw new Error(`the journal does not hold ${runId}`);
  }
}

function isEnd(event: RunEvent): event is RunEnd {
  return event.type in outcomes;
}
