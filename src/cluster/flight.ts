/**
 * The one append that a node has in flight: it is sent again with the same bytes until it is
 * settled.
 */
import { type BatchPart, type Entry, type EntryRoom, encodeEntry } from './entry.js';

/** An append in flight: a claim, a heartbeat, a release, or a batch in one or more parts. */
export class Flight {
  /** The number of the last send; each part and each repetition has its own number. */
  send = 0;
  /** The place where the entry was expected to land when it was last sent. */
  expected = 0;
  /** When the bytes in flight now were first sent. */
  sentAt = 0;
  /** The acknowledged place, if the acknowledgement alone did not prove that the entry counts. */
  place: number | null = null;
  /** Whether the outcome of the last send is still outstanding. */
  isWaiting = false;
  private encoded: Buffer | null = null;
  private endedAt = 0;
  private index = 0;

  constructor(
    /** All parts of a batch, or one other entry. */
    private readonly entries: readonly [Entry, ...Entry[]],
    /** The memory for the encoded bytes; only one flight uses a room at a time. */
    private readonly room: EntryRoom,
  ) {}

  /** The entry in flight now; for a batch, one of its parts. */
  get entry(): Entry {
    return this.entries[this.index] ?? this.entries[0];
  }

  /**
   * The encoded entry: the same bytes for each repetition, so that readers of the log recognize it.
   */
  get bytes(): Buffer {
    this.encoded ??= encodeEntry(this.entry, this.room);
    return this.encoded;
  }

  /**
   * Notes a send. Only the first send of these bytes sets `sentAt`, because a proof holds from when
   * they were first sent.
   */
  sent(send: number, expected: number, now: number): void {
    this.send = send;
    if (this.encoded === null) this.sentAt = now;
    this.expected = expected;
    this.isWaiting = true;
    this.place = null;
  }

  /** Notes that the outcome of the last send is unknown, or that the send had no effect. */
  failed(now: number): void {
    this.isWaiting = false;
    this.endedAt = now;
  }

  /**
   * Notes that the entry is in the log, and that the entries before it must be read to judge it.
   */
  landed(place: number): void {
    this.isWaiting = false;
    this.place = place;
  }

  /** Whether to send again: the last send ended without success at least `retryMs` ago. */
  isDue(now: number, retryMs: number): boolean {
    return !this.isWaiting && this.place === null && now - this.endedAt >= retryMs;
  }

  /** Moves to the next part; false if there is none. */
  advance(): boolean {
    if (this.index + 1 >= this.entries.length) return false;
    this.index += 1;
    this.encoded = null;
    return true;
  }
}

/** Makes the entries of a batch, one for each part; `head` holds the fields that they share. */
export function partEntries(
  head: Omit<BatchPart, 'kind' | 'part' | 'parts' | 'body'>,
  bodies: readonly Buffer[],
): [Entry, ...Entry[]] {
  const parts = bodies.length;
  const [first = Buffer.alloc(0), ...others] = bodies;
  const entry = (body: Buffer, part: number): BatchPart => ({
    kind: 'part',
    epoch: head.epoch,
    life: head.life,
    after: head.after,
    sequence: head.sequence,
    previous: head.previous,
    part,
    parts,
    body,
  });
  return [entry(first, 0), ...others.map((body, index) => entry(body, index + 1))];
}
