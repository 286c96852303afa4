/** The one append that a node has under way: sent again with the same bytes until it is settled. */
import { type BatchPart, type Entry, type EntryRoom, encodeEntry } from './entry.js';

/** What is under way: a claim, a beat, or a batch in one or more parts. */
export class Flight {
  /** The number of the last send: each part, and each repetition, has its own. */
  send = 0;
  /** The place that the log had for it when it was sent last. */
  expected = 0;
  /** The bytes that are under way now were sent first then. */
  sentAt = 0;
  /** The place of an acknowledgement that did not say by itself whether it counts. */
  place: number | null = null;
  /** Whether the outcome of the last send is still to come. */
  isWaiting = false;
  private encoded: Buffer | null = null;
  private endedAt = 0;
  private index = 0;

  constructor(
    /** Of a batch all parts, otherwise one entry. */
    private readonly entries: readonly [Entry, ...Entry[]],
    /** Where its bytes lie: no other flight of the same room is under way. */
    private readonly room: EntryRoom,
  ) {}

  /** What is under way now: of a batch one part. */
  get entry(): Entry {
    return this.entries[this.index] ?? this.entries[0];
  }

  /** The same bytes for each repetition, by which the log's reader knows it again. */
  get bytes(): Buffer {
    this.encoded ??= encodeEntry(this.entry, this.room);
    return this.encoded;
  }

  /**
   * `now` counts as `sentAt` for the first time only: a proof holds from when these bytes were
   * first sent.
   */
  sent(send: number, expected: number, now: number): void {
    this.send = send;
    if (this.encoded === null) this.sentAt = now;
    this.expected = expected;
    this.isWaiting = true;
    this.place = null;
  }

  /** The outcome of the last send is not known, or it is known that it did nothing. */
  failed(now: number): void {
    this.isWaiting = false;
    this.endedAt = now;
  }

  /** It is in the log, and what came before it has to be read. */
  landed(place: number): void {
    this.isWaiting = false;
    this.place = place;
  }

  /** Whether to send again: the last outcome is known, was none, and is `retryMs` old. */
  isDue(now: number, retryMs: number): boolean {
    return !this.isWaiting && this.place === null && now - this.endedAt >= retryMs;
  }

  /** Goes on to the next part; false where there is none. */
  advance(): boolean {
    if (this.index + 1 >= this.entries.length) return false;
    this.index += 1;
    this.encoded = null;
    return true;
  }
}

/** The parts of a batch; `head` is what they have in common. */
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
