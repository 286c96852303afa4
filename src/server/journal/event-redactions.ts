/**
 * Determines which parts of an event must not be printed: those that its message, run or schedule
 * asked to redact. Most events do not contain that themselves, so it is looked up in the journal.
 */
import type { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import { lastUsed } from '../../grammar/collections.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import {
  type CallbackSource,
  type MessagePublished,
  type MessageTemplate,
  messageKind,
} from '../../messaging/messages/message.events.js';
import { isMessageEvent, isPublished } from '../../messaging/messages/recorded-events.js';
import { callbackRedaction, hiding } from '../../messaging/messages/redaction.js';
import { isRunEvent } from '../../workflows/run-state/recorded-events.js';
import type { RunConfiguration } from '../../workflows/run-state/run.events.js';

/** Hides nothing: no message, run or schedule asked for redaction. */
export const nothingHidden: Redaction = { body: false, headers: [] };

/** For events whose stream began before the journal does: what was to be redacted is unknown. */
const allHidden: Redaction = { body: true, headers: ['*'] };

/** How many streams are remembered; others are looked up again. */
const streamsMax = 65_536;

/**
 * Created for one answer or one printing. If the event with the redaction is no longer there,
 * everything that can be hidden is hidden.
 */
export class EventRedactions {
  private readonly known: LRUCache<string, Redaction>;

  /** Remembers the redactions of at most `max` streams. */
  constructor(
    private readonly journal: Journal,
    max = streamsMax,
  ) {
    this.known = lastUsed(max);
  }

  /**
   * What is hidden of an event. Query the events of one stream in order. The answer of a
   * destination is hidden like the request to it, as many destinations echo the request.
   */
  async of(envelope: EventEnvelope): Promise<Redaction> {
    if (isMessageEvent(envelope)) return this.ofMessage(envelope);
    if (isRunEvent(envelope)) return this.ofRun(envelope);
    return isTemplate(envelope)
      ? (envelope.event.message.redaction ?? nothingHidden)
      : nothingHidden;
  }

  private async ofMessage(envelope: EventEnvelope): Promise<Redaction> {
    const { kind, id } = envelope;
    if (isPublished(envelope)) return this.keep(kind, id, await this.ofPublished(envelope.event));
    const known = this.known.get(keyOf(kind, id));
    if (known !== undefined) return known;
    for await (const each of this.journal.readStream(envelope.previous)) {
      if (isPublished(each)) return this.keep(kind, id, await this.ofPublished(each.event));
    }
    return allHidden;
  }

  /** A callback repeats what its source was sent, and so may the destination that answers it. */
  private async ofPublished({ redaction, callbackOf }: MessagePublished): Promise<Redaction> {
    const own = redaction ?? null;
    const source = (callbackOf ?? null) === null ? null : await this.ofSource(callbackOf);
    const hides = source !== null && (source.body || source.headers.length > 0);
    return (hides ? callbackRedaction(own ?? source, source) : own) ?? nothingHidden;
  }

  private async ofSource(source: CallbackSource | null): Promise<Redaction | null> {
    if (source === null) return null;
    const known = this.known.get(keyOf(messageKind, source.messageId));
    if (known !== undefined) return known;
    if (source.publishedOffset < this.journal.startOffset) return allHidden;
    const published = await this.journal.read(source.publishedOffset);
    return published === null ? allHidden : this.ofMessage(published);
  }

  private async ofRun(envelope: EventEnvelope): Promise<Redaction> {
    const run = await this.ofWholeRun(envelope);
    const { event, body, offset } = envelope;
    // A message of the previous run says what to hide of a replaced result, so it is never shown.
    if (event.type === 'StepEdited') return { ...run, body: true };
    // A step may hide more than its run: the message that delivers it says so.
    if (run.body || body === null || !('messageId' in event)) return run;
    return hiding(run, await this.ofStep(String(event.messageId), offset)) ?? run;
  }

  private async ofWholeRun(envelope: EventEnvelope): Promise<Redaction> {
    const { kind, id } = envelope;
    if (isConfigured(envelope)) return this.keep(kind, id, redactionOf(envelope.event));
    const known = this.known.get(keyOf(kind, id));
    if (known !== undefined) return known;
    for await (const each of this.journal.readStream(envelope.previous)) {
      if (isConfigured(each)) return this.keep(kind, id, redactionOf(each.event));
    }
    return allHidden;
  }

  /** What the message hides that delivers a step; it is published after the step is stored. */
  private async ofStep(messageId: string, offset: number): Promise<Redaction | null> {
    for await (const each of this.journal.find(messageId, offset, this.journal.highWatermark)) {
      if (isMessageEvent(each)) return this.ofMessage(each);
    }
    return null;
  }

  private keep(kind: string, id: string, redaction: Redaction): Redaction {
    this.known.set(keyOf(kind, id), redaction);
    return redaction;
  }
}

/** A message that a schedule or a subscription publishes repeatedly. */
type Template = EventEnvelope['event'] & { readonly message: MessageTemplate };

type Configured = EventEnvelope['event'] & { readonly configuration: RunConfiguration };

function redactionOf({ configuration }: Configured): Redaction {
  return configuration.terms.redaction ?? nothingHidden;
}

function keyOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}

function isTemplate(envelope: EventEnvelope): envelope is EventEnvelope<Template> {
  return 'message' in envelope.event;
}

function isConfigured(envelope: EventEnvelope): envelope is EventEnvelope<Configured> {
  return 'configuration' in envelope.event;
}
