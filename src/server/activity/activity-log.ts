/**
 * Logs one line for each final state and each failed attempt, so that a developer sees what
 * happens. The number of lines per second is bounded, and so are the reads of the journal for them.
 */
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { MessageEvent, Published } from '../../messaging/messages/message.events.js';
import {
  isMessageEvent,
  isPublished,
  messageTerm,
} from '../../messaging/messages/recorded-events.js';
import { isRunEnd } from '../../workflows/history/run-log-entry.js';
import { configuredRunTerm, isRunEvent } from '../../workflows/run-state/recorded-events.js';
import type { RunEvent, RunStarted } from '../../workflows/run-state/run.events.js';
import { isShown, messageLine, runLine } from './activity-line.js';

/** How many lines are written per second; further ones are only counted. */
const linesPerSecondMax = 20;
const secondMs = 1000;

/** The fields that a line has besides its text, for programs that read the log. */
type Subject = { readonly messageId: string } | { readonly workflowRunId: string } | object;

/**
 * Created by its module, which passes the log to write to. It only gets durable events, so no line
 * reports something that a crash undid.
 */
export class ActivityLog {
  private lines = 0;
  private unwritten = 0;
  /** Keeps the lines in the order of their events, however long reading one back takes. */
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly write: (subject: Subject, line: string) => void,
  ) {}

  /** For `Engine.observe`. */
  readonly listen = (envelopes: readonly EventEnvelope[]): void => {
    for (const envelope of envelopes) if (isShown(envelope)) this.show(envelope);
  };

  private show(envelope: EventEnvelope): void {
    if (this.lines === 0) this.clock.after(secondMs, () => this.nextSecond());
    this.lines += 1;
    if (this.lines > linesPerSecondMax) this.unwritten += 1;
    else this.append(() => this.showNow(envelope));
  }

  private nextSecond(): void {
    const { unwritten } = this;
    this.lines = 0;
    this.unwritten = 0;
    if (unwritten > 0) this.append(() => this.write({}, `and ${unwritten} more like these`));
  }

  private append(next: () => void | Promise<void>): void {
    this.written = this.written.then(next).catch((error: unknown) => {
      this.write({ err: error }, 'a line on what happened could not be made');
    });
  }

  private async showNow(envelope: EventEnvelope): Promise<void> {
    if (isMessageEvent(envelope)) {
      this.write({ messageId: envelope.id }, messageLine(envelope, await this.published(envelope)));
    } else if (isRunEvent(envelope) && isRunEnd(envelope)) {
      this.write({ workflowRunId: envelope.id }, runLine(envelope, await this.started(envelope)));
    }
  }

  private async published({ previous }: EventEnvelope<MessageEvent>): Promise<Published | null> {
    for await (const each of this.journal.readStream(previous)) if (isPublished(each)) return each;
    return null;
  }

  /** Finds the start by the index: a run may have thousands of events. */
  private async started(
    envelope: EventEnvelope<RunEvent>,
  ): Promise<EventEnvelope<RunStarted> | null> {
    const { id, offset } = envelope;
    const terms = [[messageTerm.runId(id)], [configuredRunTerm]];
    const range = { from: this.journal.startOffset, until: offset, order: 'newest' as const };
    for await (const each of this.journal.query({ terms, ...range })) {
      if (!isRunEvent(each) || each.id !== id) continue;
      const { event } = each;
      if (event.type === 'RunStarted') return { ...each, event };
    }
    return null;
  }
}
