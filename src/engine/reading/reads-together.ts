/**
 * Events that are asked for one by one at about the same time, read together: a read of one costs
 * the batches around it, and on a page of logs neighbours are asked for.
 */

import type { EventEnvelope } from '../decider.js';
import type { JournalReader } from './journal-around-damage.js';

type Found = EventEnvelope | null;

/** A read that waits for its neighbours. */
interface PendingRead {
  readonly offset: number;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Made for one answer. Where the journal rejects, every read that has no event yet rejects with it.
 */
export class ReadsTogether {
  private pending: PendingRead[] = [];

  constructor(private readonly journal: Pick<JournalReader, 'readEach'>) {}

  /** The event at an offset, with what else is asked for in this turn of the event loop. */
  read(offset: number): Promise<Found> {
    if (this.pending.length === 0) setImmediate(() => void this.readAll());
    return new Promise((resolve, reject) => this.pending.push({ offset, resolve, reject }));
  }

  private async readAll(): Promise<void> {
    const pending = this.pending.sort((one, other) => one.offset - other.offset);
    this.pending = [];
    const offsets = pending.map(({ offset }) => offset);
    let next = 0;
    try {
      for await (const found of this.journal.readEach(offsets, offsets.length)) {
        pending[next]?.resolve(found);
        next += 1;
      }
    } catch (error) {
      for (const { reject } of pending.slice(next)) reject(error);
    }
  }
}
