/**
 * Combines reads of single events that are requested at about the same time: a read of one event
 * costs the batches around it, and a page of logs requests neighbours.
 */

import type { EventEnvelope } from '../decider.js';
import type { JournalReader } from './journal-around-damage.js';

type Found = EventEnvelope | null;

/** A read that is waiting for others. */
interface PendingRead {
  readonly offset: number;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

/** Made for one answer. If the journal rejects, every read still without its event rejects, too. */
export class ReadsTogether {
  private pending: PendingRead[] = [];

  constructor(private readonly journal: Pick<JournalReader, 'readEach'>) {}

  /** The event at an offset, read together with all requests of this turn of the event loop. */
  read(offset: number): Promise<Found> {
    if (this.pending.length === 0) setImmediate(() => void this.readAll());
    return new Promise((resolve, reject) => this.pending.push({ offset, resolve, reject }));
  }

  private async readAll(): Promise<void> {
    const pending = this.pending.sort((one, other) => one.offset - other.offset);
    this.pending = [];
    const offsets = pending.map(({ offset }) => offset);
    try {
      for await (const found of this.journal.readEach(offsets, offsets.length)) {
        // Not kept: what resolves a promise refers to its event, which may be large.
        pending.shift()?.resolve(found);
      }
    } catch (error) {
      for (const { reject } of pending) reject(error);
    }
  }
}
