/**
 * Events that are asked for one by one at about the same time, read together: a read of one costs
 * the batches around it, and on a page of logs neighbours are asked for.
 */

import type { EventEnvelope } from '../decider.js';
import type { JournalReader } from './journal-around-damage.js';

type Found = EventEnvelope | null;

interface Asked {
  readonly offset: number;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

export class ReadsTogether {
  private asked: Asked[] = [];

  constructor(private readonly journal: Pick<JournalReader, 'readEach'>) {}

  /** The event at an offset, with what else is asked for in this turn of the event loop. */
  read(offset: number): Promise<Found> {
    if (this.asked.length === 0) setImmediate(() => void this.readAll());
    return new Promise((resolve, reject) => this.asked.push({ offset, resolve, reject }));
  }

  private async readAll(): Promise<void> {
    const asked = this.asked.sort((one, other) => one.offset - other.offset);
    this.asked = [];
    const offsets = asked.map(({ offset }) => offset);
    let next = 0;
    try {
      for await (const found of this.journal.readEach(offsets, offsets.length)) {
        asked[next]?.resolve(found);
        next += 1;
      }
    } catch (error) {
      for (const { reject } of asked.slice(next)) reject(error);
    }
  }
}
