/** Whether the events of every stream hang together: numbered from 0, each pointing at the last. */
import { crc32 } from 'node:zlib';
import type { EventEnvelope } from '../../engine/decider.js';

/**
 * Follows a journal from its start. Eight bytes for each offset, so that a journal of a hundred
 * million events still fits: which stream an event is of (a hash) and what number comes next.
 */
export class StreamChains {
  private names = new Uint32Array(1024);
  /** The number of the event that may follow the one at this place; 0 where none may. */
  private next = new Uint32Array(1024);
  /** Events so far, and streams that began. */
  events = 0;
  streams = 0;

  /** `startOffset`: what lay before it was let go, and chains may lead there. */
  constructor(private readonly startOffset: number) {}

  /** Takes the next event of the journal; why it does not follow its stream, or null. */
  follow({ kind, id, sequence, previous, offset }: EventEnvelope): string | null {
    const name = crc32(`${kind}/${id}`);
    const place = offset - this.startOffset;
    // Of what was swept in front of it, too, there are places that say so.
    while (place >= this.names.length) this.grow();
    const follows = previous < offset && this.take(name, sequence, previous);
    this.names[place] = name;
    this.next[place] = sequence + 1;
    this.events += 1;
    if (previous === -1) this.streams += 1;
    return follows ? null : `${kind}/${id}#${sequence} does not follow the event at ${previous}`;
  }

  /** Whether the event at `previous` waits for this one; two cannot follow the same. */
  private take(name: number, sequence: number, previous: number): boolean {
    if (previous === -1) return sequence === 0;
    if (previous < this.startOffset) return sequence > 0;
    const place = previous - this.startOffset;
    // A sweep has removed what was there; the rest of the stream goes with a later one (ADR 35).
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
