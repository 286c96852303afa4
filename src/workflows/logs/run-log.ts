/** The flat log of runs: one row for each thing that happened to them and to their messages. */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import { entriesOf, type LogEntry } from '../../messaging/logs/log-entry.js';
import type { LogPageContent, WeighedRow } from '../../messaging/logs/log-page.js';
import type { LogSource, RunningAttempt } from '../../messaging/logs/log-source.js';
import { type LogListing, logPage } from '../../messaging/logs/log-walk.js';
import { logSource } from '../../messaging/logs/message-log.js';
import { type Published, PublishedMessages } from '../../messaging/logs/published-messages.js';
import type { RunPlace } from '../../messaging/messages/message.events.js';
import { isAmong, isWithin } from '../../messaging/messages/message-filter.js';
import { anyRunTerm, isMessageEvent } from '../../messaging/messages/recorded-events.js';
import { RunEntries } from '../deliveries/run-entries.js';
import { executedSteps } from '../history/executed-steps.js';
import { LoggedRuns } from '../history/logged-runs.js';
import { stepOfMessage } from '../history/message-step.js';
import { runEntriesOf } from '../history/run-log-entry.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunEvent } from '../run-state/run.events.js';
import {
  callFields,
  payloadFields,
  type StepFields,
  submittedFields,
} from '../shown-steps/step-fields.js';
import {
  type LoggedAttempt,
  messageStepInfo,
  originOfMessage,
  originOfRun,
  type RunLogRow,
  type RunMessage,
  runMessageRow,
  runRow,
  type StepInfoObject,
} from './run-log-row.js';
import { matchesRun, type RunLogQuery, runQueryTerms } from './run-logs.request.js';

/** Number of steps that one page caches; the rows of a message are close together. */
const stepsMax = 64;

/**
 * Reads only the journal: swept events are missing, and damaged ones are reported beside the rows.
 */
@Injectable()
export class RunLog {
  constructor(
    @Inject(logSource) private readonly source: LogSource,
    private readonly entries: RunEntries,
  ) {}

  /** One page of rows. */
  page(query: RunLogQuery): Promise<LogPageContent<RunLogRow>> {
    const { entries } = this;
    return logPage(
      this.source,
      query,
      (bounded, spend, source) => new RunLogListing(source, entries, bounded, spend),
    );
  }

  /** A function that makes the rows of each event, for a stream of a run. */
  follower(query: RunLogQuery): (envelope: EventEnvelope) => Promise<readonly RunLogRow[]> {
    const listing = new RunLogListing(this.source, this.entries, query, () => undefined);
    return async (envelope) => {
      const rows: RunLogRow[] = [];
      for (const entry of listing.entriesOf(envelope)) {
        const made = await listing.rowOf(envelope, entry);
        if (made !== null) rows.push(made.row);
      }
      return rows;
    };
  }
}

class RunLogListing implements LogListing<RunLogRow> {
  readonly terms: LogListing<RunLogRow>['terms'];
  private readonly runs: LoggedRuns;
  private readonly published: PublishedMessages;
  private readonly steps = new LRUCache<string, StepInfoObject>({ max: stepsMax });

  constructor(
    private readonly source: LogSource,
    private readonly entries: RunEntries,
    private readonly query: RunLogQuery,
    private readonly spend: () => void,
  ) {
    const { messageIds } = query;
    this.terms = [
      [anyRunTerm],
      ...(messageIds === null ? [] : [messageIds]),
      ...runQueryTerms(query),
    ];
    this.runs = new LoggedRuns(source.journal, spend);
    this.published = new PublishedMessages(source.messages, spend);
  }

  meet(envelopes: readonly EventEnvelope[]): void {
    this.published.meet(envelopes, (envelope) =>
      this.entriesOf(envelope).some((entry) => this.meansEntry(envelope.id, entry)),
    );
  }

  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[] {
    if (isRunEvent(envelope)) return runEntriesOf(envelope);
    return isMessageEvent(envelope) ? entriesOf(envelope) : [];
  }

  async rowOf(envelope: EventEnvelope, entry: LogEntry<string>) {
    if (isRunEvent(envelope)) return this.runRow(envelope, entry);
    if (!isMessageEvent(envelope) || !this.meansEntry(envelope.id, entry)) return null;
    const published = await this.published.of(envelope);
    const { offset, body } = envelope;
    const response = entry.end === null ? null : body;
    const executed = await this.executedIn(published, entry, offset);
    return this.messageRow(published, entry, { offset, response, executed });
  }

  async runningRowOf({ messageId, publishedOffset }: RunningAttempt, entry: LogEntry) {
    if (!this.meansEntry(messageId, entry)) return null;
    return this.messageRow(await this.published.at(publishedOffset), entry, null);
  }

  isLast(): boolean {
    return false;
  }

  private async runRow(
    envelope: EventEnvelope<RunEvent>,
    entry: LogEntry<string>,
  ): Promise<WeighedRow<RunLogRow> | null> {
    const { query } = this;
    if (query.messageIds !== null || !this.meansEntry(null, entry)) return null;
    const run = await this.runs.of(envelope);
    if (run === null || !matchesRun(originOfRun(run), query)) return null;
    const row = runRow(envelope, run, entry, query.trimBody);
    return { row, characters: row.workflowRunResponse?.length ?? 0 };
  }

  private async messageRow(
    published: Published | null,
    entry: LogEntry<string>,
    logged: LoggedAttempt | null,
  ): Promise<WeighedRow<RunLogRow> | null> {
    const message = runMessageOf(published);
    if (message === null || !matchesRun(originOfMessage(message), this.query)) return null;
    const stepInfo = await this.stepInfo(message);
    const row = runMessageRow(message, stepInfo, entry, logged, this.query.trimBody);
    const { out, callBody } = stepInfo;
    const { responseBody, responseBodyBase64 } = row;
    const texts = [responseBody, responseBodyBase64, out, callBody];
    const shown = texts.map((text) => text?.length ?? 0);
    return { row, characters: shown.reduce((sum, length) => sum + length, 0) };
  }

  private meansEntry(messageId: string | null, { state, time }: LogEntry<string>): boolean {
    const { messageIds, states } = this.query;
    return (
      isAmong(messageId, messageIds) &&
      (states === null || states.has(state)) &&
      isWithin(time, this.query)
    );
  }

  private async stepInfo(message: RunMessage): Promise<StepInfoObject> {
    const { published, run } = message;
    const kept = this.steps.get(published.id);
    if (kept !== undefined) return kept;
    const recorded = await this.recordedOf(run);
    const step = recorded === null ? null : stepOfMessage(run, recorded.event);
    const fields = recorded === null ? {} : await this.fieldsOf(message, recorded);
    const stepInfo = messageStepInfo(message, step, fields);
    this.steps.set(published.id, stepInfo);
    return stepInfo;
  }

  /**
   * The steps that the endpoint executed until this attempt ended; null = the entry is not the end
   * of an attempt to deliver to the endpoint.
   */
  private async executedIn(
    published: Published | null,
    { end }: LogEntry<string>,
    endOffset: number,
  ): Promise<LoggedAttempt['executed']> {
    const message = runMessageOf(published);
    if (message === null || end === null) return null;
    const { run } = message;
    if (run.role !== 'step' && run.role !== 'callResult') return null;
    const recorded = await this.recordedOf(run);
    const own = recorded === null ? null : stepOfMessage(run, recorded.event);
    if (own === null) return null;
    const publishedOffset = message.published.offset;
    const attempt = { runId: run.runId, own, publishedOffset, end, endOffset };
    return executedSteps(this.source.journal, attempt, this.spend);
  }

  /** The event of the run that a message is about; null = it has left the journal. */
  private async recordedOf({ eventOffset }: RunPlace): Promise<EventEnvelope<RunEvent> | null> {
    const { journal } = this.source;
    if (eventOffset < journal.startOffset) return null;
    this.spend();
    const recorded = await journal.read(eventOffset);
    return recorded !== null && isRunEvent(recorded) ? recorded : null;
  }

  private async fieldsOf(
    { published, run }: RunMessage,
    recorded: EventEnvelope<RunEvent>,
  ): Promise<StepFields> {
    const { role, entry, startedOffset } = run;
    const { messages } = this.source;
    const showing = { bytesMax: this.query.trimBody, redaction: published.event.redaction };
    if (role === 'call') {
      return callFields({ ...published, body: await messages.body(published) }, showing);
    }
    if (role !== 'step') return {};
    if (entry === 0) return payloadFields(await this.entries.bodyAt(startedOffset), showing);
    const type = stepOfMessage(run, recorded.event)?.type ?? '';
    return submittedFields(await this.entries.bodyOf(recorded), type, showing);
  }
}

/** The message with its place in its run; null = the message belongs to no run. */
function runMessageOf(published: Published | null): RunMessage | null {
  const run = published?.event.run ?? null;
  return published === null || run === null ? null : { published, run };
}
