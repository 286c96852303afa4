/**
 * Reads from the journal what it holds about a failed run: its configuration, its failure, and what
 * it left undone.
 */
import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import type { AttemptEvent, Published } from '../../messaging/messages/message.events.js';
import { isMessageEvent, isPublished } from '../../messaging/messages/recorded-events.js';
import { RunArchive } from '../deliveries/run-archive.js';
import { RunEntries } from '../deliveries/run-entries.js';
import { announcesWebhook } from '../run-state/known-steps.js';
import { endsRun, isRunEvent } from '../run-state/recorded-events.js';
import type { RunContext } from '../run-state/run.context.js';
import type {
  InvocationEnded,
  OpenInvocation,
  RunConfiguration,
  RunEntry,
  RunEvent,
  RunFailed,
} from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';
import { SubmittedSteps } from '../run-state/submitted-steps.js';
import type { FailedRun } from './failed-runs.projection.js';

/** How an invoked run has ended. */
export interface InvokedEnd extends Pick<InvocationEnded, 'outcome' | 'endOffset'> {
  /** Bytes of the returned value. */
  readonly bytes: number;
}

/**
 * Reads the events that the index of failed runs refers to, which no sweep removes; throws if one
 * is missing.
 */
@Injectable()
export class FailedRunRecords {
  constructor(
    private readonly journal: Journal,
    private readonly payloads: Payloads,
    private readonly archive: RunArchive,
    private readonly entries: RunEntries,
  ) {}

  /** The `RunFailed` event of a run. */
  async failureOf({ runId, offset }: FailedRun): Promise<EventEnvelope<RunFailed>> {
    const envelope = await this.archive.eventAt(offset);
    if (isFailure(envelope)) return envelope;
    throw new Error(`${runId} did not fail at ${offset}`);
  }

  /**
   * The last attempt of the message that made the run fail; null = the message did not end with an
   * attempt.
   */
  attemptOf({ event }: EventEnvelope<RunFailed>): Promise<AttemptEvent | null> {
    return this.attemptAt(event.attemptOffset);
  }

  /** The attempt whose end was recorded at `offset`; null = the event there is not an attempt. */
  async attemptAt(offset: number): Promise<AttemptEvent | null> {
    const envelope = await this.payloads.read(offset);
    return isAttempt(envelope) ? envelope : null;
  }

  /** The configuration in force at the failure, including a failure callback that a step named. */
  async configurationOf(run: FailedRun): Promise<RunConfiguration> {
    const configuration = await this.archive.configurationAt(run.configurationOffset);
    const { event } = await this.archive.eventAt(run.failureCallbackOffset);
    if (event.type !== 'FailureCallbackNamed') return configuration;
    const { headers: failureHeaders, ...failureCallback } = event.callback;
    const terms = { ...configuration.terms, failureCallback };
    return { ...configuration, terms, failureHeaders };
  }

  /**
   * The payload, and the offset of the event that stores it: a restarted run shares the payload of
   * the failed one.
   */
  async payloadOf(run: FailedRun): Promise<{ readonly offset: number; readonly payload: Buffer }> {
    const { event } = await this.archive.eventAt(run.startedOffset);
    if (event.type !== 'RunStarted') throw new Error(`${run.runId} did not begin there`);
    const offset = event.payloadOffset ?? run.startedOffset;
    const { body } = await this.archive.eventAt(offset);
    return { offset, payload: body ?? Buffer.alloc(0) };
  }

  /** The body shown for the run: its payload, or all of its entries as a JSON array. */
  bodyOf(run: FailedRun): Promise<Buffer | null> {
    return this.entries.bodyOfFailed(run, run.offset);
  }

  /** The delivered body of an entry of a run. */
  async entryBody({ offset }: RunEntry): Promise<Buffer | null> {
    return this.entries.bodyAt(offset);
  }

  /** The context of the run when it failed. */
  async remainsOf({ runId, startedOffset, offset }: FailedRun): Promise<RunContext> {
    return (await this.archive.stateOf(runId, startedOffset, offset)).context;
  }

  /** The runs whose steps announced the webhooks among `entries`, without duplicates. */
  async announcersOf(entries: readonly RunEntry[]): Promise<readonly string[]> {
    const announcers = new Set<string>();
    for (const { step, offset } of entries) {
      if (announcesWebhook(step)) announcers.add((await this.archive.eventAt(offset)).id);
    }
    return [...announcers];
  }

  /**
   * The messages that were published but not delivered when the run failed, without deliveries that
   * have done their work (`SubmittedSteps`); `entries` are the run's entries at that time.
   */
  async undeliveredOf(run: FailedRun, entries: readonly RunEntry[]): Promise<readonly Published[]> {
    const { event } = await this.failureOf(run);
    const undelivered: Published[] = [];
    if (event.cause === 'stalled') {
      for (const { messageId } of unanswered(entries)) {
        undelivered.push(await this.publishedAs(messageId));
      }
      return undelivered;
    }
    // Read together, because the messages of parallel steps were published in one batch.
    const offsets = [event.publishedOffset, ...event.canceledOffsets];
    for await (const envelope of this.journal.readEach(offsets, offsets.length)) {
      undelivered.push(publishedIn(envelope, offsets[undelivered.length]));
    }
    const submitted = new SubmittedSteps(entries);
    const open = undelivered.filter(({ event: { run } }) => !submitted.include(run));
    // Without any delivery the resumed run would not continue.
    return open.length > 0 ? open : undelivered.slice(0, 1);
  }

  /** The message that was published at `offset`. */
  async publishedAt(offset: number): Promise<Published> {
    return publishedIn(await this.payloads.read(offset), offset);
  }

  /** How an invoked run has ended; null = it is still active. */
  async endOf({ runId, messageId }: OpenInvocation): Promise<InvokedEnd | null> {
    const { startOffset, endOffset } = this.journal;
    let isSelected = false;
    for await (const envelope of this.journal.find(runId, startOffset, endOffset)) {
      if (!isRunEvent(envelope)) continue;
      const { event, offset, body } = envelope;
      // Another run may have had the same id before, or may have it now.
      if (event.type === 'RunStarted') isSelected = event.messageId === messageId;
      else if (isSelected && endsRun(event)) {
        return { outcome: endNames[event.type], endOffset: offset, bytes: body?.length ?? 0 };
      }
    }
    if (isSelected) return null;
    throw new Error(`the journal does not hold ${runId}`);
  }

  private async publishedAs(messageId: string): Promise<Published> {
    const { startOffset, endOffset } = this.journal;
    for await (const envelope of this.journal.find(messageId, startOffset, endOffset)) {
      if (isPublished(envelope)) return envelope;
    }
    throw new Error(`the journal does not hold message ${messageId}`);
  }
}

function publishedIn(envelope: EventEnvelope | null, offset: number | undefined): Published {
  if (envelope !== null && isPublished(envelope)) return envelope;
  throw new Error(`no message was published at ${offset}`);
}

function isFailure(envelope: EventEnvelope<RunEvent>): envelope is EventEnvelope<RunFailed> {
  return envelope.event.type === 'RunFailed';
}

function isAttempt(envelope: EventEnvelope): envelope is AttemptEvent {
  return isMessageEvent(envelope) && 'durationMs' in envelope.event;
}

/** The unanswered entries of a stalled run: the plans without a result, or else the last entry. */
function unanswered(entries: readonly RunEntry[]): readonly RunEntry[] {
  const done = new Set(entries.map(({ step }) => (step.target === null ? step.id : -1)));
  const plans = entries.filter(({ step }) => step.target !== null && !done.has(step.target));
  return plans.length > 0 ? plans : entries.slice(-1);
}
