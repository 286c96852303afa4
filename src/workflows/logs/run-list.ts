/** The listing of runs, each with its steps, folded from the journal for each request. */

import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { type LogEntry } from '../../messaging/logs/log-entry.js';
import type { LogPageContent, WeighedRow } from '../../messaging/logs/log-page.js';
import type { LogSource } from '../../messaging/logs/log-source.js';
import { type LogListing, logPage } from '../../messaging/logs/log-walk.js';
import { logSource } from '../../messaging/logs/message-log.js';
import { PublishedMessages } from '../../messaging/logs/published-messages.js';
import { isWithin } from '../../messaging/messages/message-filter.js';
import {
  anyRunTerm,
  isMessageEvent,
  isPublished,
  messageTerm,
} from '../../messaging/messages/recorded-events.js';
import { RunEntries } from '../deliveries/run-entries.js';
import {
  isStarted,
  isTakenOver,
  type LoggedRun,
  LoggedRuns,
  type Started,
  type TakenOver,
} from '../history/logged-runs.js';
import {
  type ChildRun,
  type HistoryEntry,
  type Invocation,
  RunHistory,
} from '../history/run-history.js';
import { endStates } from '../history/run-log-entry.js';
import { configuredRunTerm, isRunEvent } from '../run-state/recorded-events.js';
import type { RunConfiguration, RunEvent } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';
import { originOfRun } from './run-log-row.js';
import { matchesRun, type RunListQuery, runQueryTerms } from './run-logs.request.js';
import { type RunObject, runObject } from './run-object.js';

/**
 * The cost is the number of events of the runs on a page; a page ends early if there are too many.
 */
@Injectable()
export class RunList {
  constructor(
    @Inject(logSource) private readonly source: LogSource,
    private readonly entries: RunEntries,
  ) {}

  /**
   * One page of runs, ordered by their starts. A run that its endpoint took over is found by either
   * of its configurations; if only the second one matches, it is listed at the takeover.
   */
  page(query: RunListQuery): Promise<LogPageContent<RunObject>> {
    const { entries } = this;
    return logPage(this.source, query, async (bounded, spend, source) => {
      const begun = await runsOf(source, bounded.messageIds, spend);
      return new RunListing(source, entries, bounded, begun, spend);
    });
  }
}

/** The starts of the runs of these messages; null = the query names no messages. */
async function runsOf(
  { journal, messages }: LogSource,
  messageIds: readonly string[] | null,
  spend: () => void,
): Promise<ReadonlyMap<number, string> | null> {
  if (messageIds === null) return null;
  const published = new PublishedMessages(messages, spend);
  const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
  const begun = new Map<number, string>();
  const wanted = new Set(messageIds);
  // One query for all of them: a query for each would have a cost that nothing limits.
  for await (const envelope of journal.query({ terms: [messageIds, [anyRunTerm]], ...range })) {
    spend();
    // All events of a message name the same run, so the first one is enough.
    if (!isMessageEvent(envelope) || !wanted.delete(envelope.id)) continue;
    const run = (await published.of(envelope))?.event.run;
    if (run) begun.set(run.startedOffset, run.runId);
    if (wanted.size === 0) break;
  }
  return begun;
}

class RunListing implements LogListing<RunObject> {
  readonly terms: LogListing<RunObject>['terms'];
  private readonly runs: LoggedRuns;
  private readonly running: ReadonlySet<string>;

  /** `begun` are the candidate runs by the offsets of their starts; null = any run. */
  constructor(
    private readonly source: LogSource,
    private readonly entries: RunEntries,
    private readonly query: RunListQuery,
    private readonly begun: ReadonlyMap<number, string> | null,
    private readonly spend: () => void,
  ) {
    const named = begun === null ? [] : [[...begun.values()].map(messageTerm.runId)];
    this.terms = [[configuredRunTerm], ...named, ...runQueryTerms(query)];
    this.runs = new LoggedRuns(source.journal, spend);
    this.running = new Set(source.running().map(({ messageId }) => messageId));
  }

  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[] {
    if (!isStarted(envelope) && !isTakenOver(envelope)) return [];
    return [{ state: 'RUN_STARTED', time: envelope.at, nextDeliveryTime: null, end: null }];
  }

  async rowOf(envelope: Started | TakenOver): Promise<WeighedRow<RunObject> | null> {
    const run = await this.runs.of(envelope);
    if (run === null || !this.isPlaced(run) || !(await this.isSelected(run.started))) return null;
    const history = await this.historyOf(run.started);
    const children = await this.childrenOf(history);
    const { running, query, source } = this;
    const now = source.clock.now();
    const row = runObject(history, { now, running, children, bytesMax: query.trimBody });
    const weights = history.entries.map(({ body }) => body?.length ?? 0);
    return { row, characters: weights.reduce((sum, weight) => sum + weight, 0) };
  }

  /** Attempts in flight add no row: every run that has started is in the journal. */
  async runningRowOf(): Promise<null> {
    return null;
  }

  isLast(): boolean {
    return false;
  }

  /** Whether a run is listed at this configuration; it is listed only once. */
  private isPlaced({ started, configuration }: LoggedRun): boolean {
    const first = started.event.configuration;
    const isElsewhere = configuration !== first && this.isFound(started, first);
    return this.isFound(started, configuration) && !isElsewhere;
  }

  private isFound(started: Started, configuration: RunConfiguration): boolean {
    return matchesRun(originOfRun({ started, configuration }), this.query);
  }

  private async isSelected(started: Started): Promise<boolean> {
    const { at, offset } = started;
    const { query, begun } = this;
    if (begun !== null && !begun.has(offset)) return false;
    if (!isWithin(at, query)) return false;
    if (query.states === null) return true;
    const end = await this.runs.endOf(started, this.source.journal.highWatermark);
    return query.states.has(end === null ? 'RUN_STARTED' : endStates[end.event.type]);
  }

  private async historyOf(started: Started): Promise<RunHistory> {
    const { journal } = this.source;
    const { id, offset } = started;
    const inherited = await this.inheritedBy(started);
    const history = new RunHistory(started, await this.entries.bodyOf(started), inherited);
    const range = { from: offset + 1, until: journal.highWatermark, order: 'oldest' as const };
    for await (const envelope of journal.query({ terms: [[messageTerm.runId(id)]], ...range })) {
      this.spend();
      history.add(envelope, await this.bodyOf(envelope));
    }
    return history;
  }

  /** The body that belongs to an event, wherever it is stored. */
  private bodyOf(envelope: EventEnvelope): Buffer | null | Promise<Buffer | null> {
    if (isRunEvent(envelope) && appends.has(envelope.event.type)) {
      return this.entries.bodyOf(envelope);
    }
    const isCall = isPublished(envelope) && envelope.event.run?.role === 'call';
    return isCall ? this.source.messages.body(envelope) : envelope.body;
  }

  /** The entries inherited from the run that this one resumes, read from that run's events. */
  private async inheritedBy({ event }: Started): Promise<readonly HistoryEntry[]> {
    const inherited = event.inherited?.entries ?? [];
    const recorded = await this.recordedAt(inherited.map(({ offset }) => offset));
    const entries: HistoryEntry[] = [];
    for (const { step, messageId, offset } of inherited) {
      const envelope = recorded.get(offset);
      const body = envelope === undefined ? null : await this.entries.bodyOf(envelope);
      const isEdited = envelope?.event.type === 'StepEdited';
      const at = envelope?.at ?? 0;
      entries.push({ step, messageId, offset, at, body, ...(isEdited && { editedAt: at }) });
    }
    return entries;
  }

  /** The events at these offsets that the journal still holds; neighbors are read together. */
  private async recordedAt(
    offsets: readonly number[],
  ): Promise<ReadonlyMap<number, EventEnvelope<RunEvent>>> {
    const { journal } = this.source;
    const { startOffset } = journal;
    const held = offsets.filter((offset) => offset >= startOffset);
    const recorded = new Map<number, EventEnvelope<RunEvent>>();
    for await (const envelope of journal.readEach(held, held.length)) {
      this.spend();
      if (envelope !== null && isRunEvent(envelope)) recorded.set(envelope.offset, envelope);
    }
    return recorded;
  }

  private async childrenOf({
    openings,
    entries,
  }: RunHistory): Promise<ReadonlyMap<string, ChildRun>> {
    const ended = new Set(entries.map(({ step }) => step.id));
    const children = new Map<string, ChildRun>();
    for (const opening of openings) {
      if (opening.kind !== 'invocation') continue;
      const child = await this.child(opening, ended.has(opening.step.id));
      if (child !== null) children.set(opening.messageId, child);
    }
    return children;
  }

  /** `hasEnded`: the child's end is already an entry of the run, so it is not looked up again. */
  private async child(
    { runId, messageId }: Invocation,
    hasEnded: boolean,
  ): Promise<ChildRun | null> {
    const until = this.source.journal.highWatermark;
    const started = await this.runs.begunBy(runId, messageId, until);
    if (started === null) return null;
    const ended = hasEnded ? null : await this.runs.endOf(started, until);
    const end = ended && { outcome: endNames[ended.event.type], at: ended.at };
    const returned = ended?.event.type === 'RunSucceeded' ? ended.body : null;
    return { started, payload: await this.entries.bodyOf(started), end, returned };
  }
}

/** Events that append an entry or replace an entry's body. */
const appends: ReadonlySet<string> = new Set([
  ...['StepStored', 'StepEdited', 'WaitEnded', 'InvocationEnded'],
]);
