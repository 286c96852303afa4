/** The messages that a page of the logs is about; each is read from the journal once. */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import { whenRead } from '../../engine/payloads.js';
import type { JournalReader } from '../../engine/reading/journal-around-damage.js';
import { ReadsTogether } from '../../engine/reading/reads-together.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { MessageEvent, Published } from '../messages/message.events.js';
import { isMessageEvent, isPublished } from '../messages/recorded-events.js';
import { callbackRedaction } from '../messages/redaction.js';
import type { LogEntry } from './log-entry.js';
import { type LoggedEvent, type LogRow, logRow } from './log-row.js';

export type { Published } from '../messages/message.events.js';

/** The sources from which messages are read. */
export interface LoggedMessages {
  readonly journal: JournalReader;
  /** Journal offset of the `MessagePublished` of a message that is not final, if known. */
  readonly publishedOffset: (messageId: string) => number | undefined;
  /** The bytes that a message is delivered with. */
  readonly body: (published: Published) => Buffer | null | Promise<Buffer | null>;
}

/** How much one page caches, in bytes: a body is a view that keeps the whole chunk read with it. */
const keptBytesMax = 16 * 1024 * 1024;
const readBytes = 32 * 1024;

/** Limit for bodies stored elsewhere or composed; other bodies are views that cost nothing. */
const bodyBytesMax = 4 * 1024 * 1024;

interface KeptBody {
  readonly bytes: Buffer | null;
}

/** A cached message; null = its publish has left the journal with its segment. */
interface Kept {
  readonly published: Published | null;
}

/**
 * Created for one page; its cache is bounded in bytes. If the journal cannot be read, only the row
 * that needs the read is rejected.
 */
export class PublishedMessages {
  private readonly kept = new LRUCache<string, Kept>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ published }) => readBytes + (published?.body?.length ?? 0),
  });
  private readonly reads: ReadsTogether;
  /** Look-ups in progress: rows that are made at the same time may need the same message. */
  private readonly finding = new Map<string, Promise<Published | null>>();
  private readonly bodies = new LRUCache<number, KeptBody>({
    maxSize: bodyBytesMax,
    sizeCalculation: ({ bytes }) => 1024 + (bytes?.length ?? 0),
  });

  /** `spend` is called for each event that has to be read. */
  constructor(
    private readonly messages: LoggedMessages,
    private readonly spend: () => void,
  ) {
    this.reads = new ReadsTogether(messages.journal);
  }

  /**
   * Takes events whose rows are about to be made, though only of those that are `selected`.
   * Messages that they refer to and that are not among them are read now, all together: one by one
   * they would read the same part of the journal repeatedly.
   */
  meet(envelopes: readonly EventEnvelope[], selected: (envelope: EventEnvelope) => boolean): void {
    for (const envelope of envelopes) {
      if (isPublished(envelope)) this.kept.set(envelope.id, { published: envelope });
    }
    for (const envelope of envelopes) {
      if (isPublished(envelope) || !isMessageEvent(envelope) || !selected(envelope)) continue;
      const found = this.of(envelope);
      // The row that needs the message handles the failure itself.
      if (found instanceof Promise) found.catch(() => undefined);
    }
  }

  /** The publish of the message of an event; synchronous if it was met before. */
  of(envelope: EventEnvelope<MessageEvent>): Published | null | Promise<Published | null> {
    const { id, previous } = envelope;
    if (isPublished(envelope)) {
      this.kept.set(id, { published: envelope });
      return envelope;
    }
    return this.found(id, () => {
      const offset = this.messages.publishedOffset(id);
      return offset === undefined ? this.beginning(previous) : this.at(offset);
    });
  }

  /** The `MessagePublished` at an offset; null if it has left the journal. */
  async at(offset: number): Promise<Published | null> {
    const { journal } = this.messages;
    if (offset < journal.startOffset) return null;
    this.spend();
    const envelope = await this.reads.read(offset);
    return isPublished(envelope) ? envelope : null;
  }

  /** A row of a message, as it may be shown; synchronous if all that it shows is at hand. */
  row(published: Published, entry: LogEntry, logged: LoggedEvent | null): LogRow | Promise<LogRow> {
    return whenRead(this.bodyOf(published), (body) =>
      whenRead(this.redactionOf(published), (redaction) =>
        logRow({ published, body, redaction }, entry, logged),
      ),
    );
  }

  /** The rows of an event come one after another, so the body is read once for all of them. */
  private bodyOf(published: Published): Buffer | null | Promise<Buffer | null> {
    const kept = this.bodies.get(published.offset);
    if (kept !== undefined) return kept.bytes;
    return whenRead(this.messages.body(published), (bytes) => {
      this.bodies.set(published.offset, { bytes });
      return bytes;
    });
  }

  private found(
    id: string,
    find: () => Promise<Published | null>,
  ): Published | null | Promise<Published | null> {
    const kept = this.kept.get(id);
    return kept === undefined ? (this.finding.get(id) ?? this.looked(id, find)) : kept.published;
  }

  private async looked(
    id: string,
    find: () => Promise<Published | null>,
  ): Promise<Published | null> {
    const found = find();
    this.finding.set(id, found);
    try {
      const published = await found;
      this.kept.set(id, { published });
      return published;
    } finally {
      this.finding.delete(id);
    }
  }

  /**
   * The offset of the publish is known only while a message is pending; later, its chain of events
   * is followed.
   */
  private async beginning(lastOffset: number): Promise<Published | null> {
    const { journal } = this.messages;
    for (let offset = lastOffset; offset >= journal.startOffset; ) {
      this.spend();
      const envelope = await this.reads.read(offset);
      if (envelope === null || isPublished(envelope)) return envelope;
      offset = envelope.previous;
    }
    return null;
  }

  /** A callback shows what its source was sent, so it hides at least what the source hides. */
  private redactionOf({ event }: Published): Redaction | null | Promise<Redaction | null> {
    const { callbackOf, redaction } = event;
    if (callbackOf === null || redaction?.body === true) return redaction;
    const { messageId, publishedOffset } = callbackOf;
    return whenRead(
      this.found(messageId, () => this.at(publishedOffset)),
      (source) => callbackRedaction(redaction, source?.event.redaction ?? null),
    );
  }
}
