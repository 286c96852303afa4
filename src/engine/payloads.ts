/**
 * What each stream was opened with (options and body), by journal offset: a bounded cache over the
 * journal, so that memory depends on the work in flight and not on the backlog.
 */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from './decider.js';
import type { Journal } from './journal.js';

/** The weight of an envelope without its body: names, option strings, the objects themselves. */
const envelopeBytes = 2048;

/**
 * Reads within a range of this many offsets run one after another: the batch that one read brings
 * mostly holds the next event. After a restart the messages of a large batch are due together, and
 * each of a hundred parallel reads would read all of it.
 */
const neighbours = 256;

/** A body is copied if its buffer holds more than this beside it: it may be part of a batch. */
const besideBytesMax = 8192;

/**
 * An event that is still cached after this many others gets a body of its own if its buffer holds
 * more than `settledBytesMax` beside it: Node cuts short buffers from a pool of 8 KiB, and one of
 * them would keep all of that. Most are delivered by then, so that nothing is copied for them.
 */
const youngMax = 1024;
const settledBytesMax = 2048;

/** Uses `found` at once if it is at hand, as it mostly is, or else once it has been read. */
export function whenRead<Found, Made>(
  found: Found | Promise<Found>,
  use: (found: Found) => Made | Promise<Made>,
): Made | Promise<Made> {
  return found instanceof Promise ? found.then(use) : use(found);
}

/**
 * One per engine. Events never change, so that nothing in the cache goes stale. An event that a
 * sweep has removed rejects with an error, since no living stream may refer to it.
 */
export class Payloads {
  private readonly recent: LRUCache<number, EventEnvelope>;
  private readonly journal: Pick<Journal, 'read'>;
  /** For each range of neighbours, the last read in it that has begun. */
  private readonly reading = new Map<number, Promise<EventEnvelope>>();
  /** The offsets that were remembered last, at places that are used in turn. */
  private readonly young = new Float64Array(youngMax).fill(Number.NaN);
  private remembered = 0;

  /** `maxBytes` bounds the bodies kept in memory. */
  constructor(journal: Pick<Journal, 'remembering'>, maxBytes: number) {
    this.journal = journal.remembering();
    this.recent = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (envelope) => envelopeBytes + (envelope.body?.length ?? 0),
    });
  }

  /** Caches a durable event: an attempt will need it soon. */
  remember(envelope: EventEnvelope): void {
    const place = this.remembered % youngMax;
    this.remembered += 1;
    this.settle(this.young[place] ?? Number.NaN);
    this.young[place] = envelope.offset;
    this.recent.set(envelope.offset, withOwnBody(envelope, besideBytesMax, pooled));
  }

  /** The event at `offset` if it is cached; this does not count as a use. */
  peek(offset: number): EventEnvelope | undefined {
    return this.recent.peek(offset);
  }

  /**
   * Drops an event that nothing will need soon: the garbage collector frees a short-lived object at
   * almost no cost, but moves one twice that stays until others take its place.
   */
  forget(offset: number): void {
    this.recent.delete(offset);
  }

  /** The event at `offset`: at once if it is cached, else from the journal. */
  read(offset: number): EventEnvelope | Promise<EventEnvelope> {
    return this.recent.get(offset) ?? this.readBack(offset);
  }

  private settle(offset: number): void {
    const kept = this.recent.peek(offset);
    if (kept === undefined) return;
    const own = withOwnBody(kept, settledBytesMax, alone);
    if (own !== kept) this.recent.set(offset, own);
  }

  private readBack(offset: number): Promise<EventEnvelope> {
    const place = Math.floor(offset / neighbours);
    const read = () => this.readNow(offset);
    const before = this.reading.get(place);
    const reading = before === undefined ? read() : before.then(read, read);
    this.reading.set(place, reading);
    const ended = () => {
      if (this.reading.get(place) === reading) this.reading.delete(place);
    };
    reading.then(ended, ended);
    return reading;
  }

  private async readNow(offset: number): Promise<EventEnvelope> {
    const envelope = await this.journal.read(offset);
    if (envelope === null) throw new Error(`the journal holds no event at offset ${offset}`);
    return envelope;
  }
}

function withOwnBody(
  envelope: EventEnvelope,
  bytesMax: number,
  copy: (body: Buffer) => Buffer,
): EventEnvelope {
  const { kind, id, sequence, at, offset, previous, by, event, body, byteLength } = envelope;
  if (body === null || body.buffer.byteLength - body.length <= bytesMax) return envelope;
  return { kind, id, sequence, at, offset, previous, by, event, body: copy(body), byteLength };
}

/** If it is short, it is cut from Node's pool, which is faster. */
function pooled(body: Buffer): Buffer {
  return Buffer.from(body);
}

function alone(body: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
