/**
 * Checks the chain of every stream: its events are numbered from 0, and each points to the previous
 * one.
 */
import { crc32 } from 'node:zlib';
import type { EventEnvelope } from '../../engine/decider.js';

/**
 * Follows a journal from its start. It keeps eight bytes for each offset, so that a journal of a
 * hundred million events still fits: a hash of the event's stream, and the number of the next
 * event.
 */
export class StreamChains {
  private names = new Uint32Array(1024);
  /** The sequence number of the event that may follow the one at this place; 0 if none may. */
  private next = new Uint32Array(1024);
  /** How many events were seen so far, and how many streams began. */
  events = 0;
  streams = 0;

  /** Everything before `startOffset` was removed, and chains may point there. */
  constructor(private readonly startOffset: number) {}

  /** Takes the next event of the journal; returns why it does not follow its stream, or null. */
  follow({ kind, id, sequence, previous, offset }: EventEnvelope): string | null {
    const name = crc32(`${kind}/${id}`);
    const place = offset - this.startOffset;
    // Offsets that were swept before this one also have places, which stay 0.
    while (place >= this.names.length) this.grow();
    const follows = previous < offset && this.take(name, sequence, previous);
    this.names[place] = name;
    this.next[place] = sequence + 1;
    this.events += 1;
    if (previous === -1) this.streams += 1;
    return follows ? null : `${kind}/${id}#${sequence} does not follow the event at ${previous}`;
  }

  /** Whether the event at `previous` expects this one; two events cannot follow the same one. */
  private take(name: number, sequence: number, previous: number): boolean {
    if (previous === -1) return sequence === 0;
    if (previous < this.startOffset) return sequence > 0;
    const place = previous - this.startOffset;
    // A sweep has removed the event; a later sweep removes the rest of the stream (ADR 35).
    if (this.names[place] === 0 && this.next[place] === 0) return sequence > 0;
    if (this.names[place] !== name || this.next[place] !== sequence || sequence === 0) return false;
    this.next[place] = 0;
    return true;
  }

  private grow(): void {
    const { names, next } = this;
    this.names = new Uint32Array(names.length * 2);
    this.names.set(names);
    this.next = new Uint32Array(next.length * 2);
    this.next.set(next);
  }
}
