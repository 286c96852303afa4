/** All that was ever durable in the journal of a simulation, whatever sweeps have removed. */
import type { EventEnvelope } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Journal } from '../../src/engine/journal.js';

/** What can be read turn by turn: a journal, or all that it has held. */
export interface Turns {
  replay(): AsyncIterable<readonly EventEnvelope[]>;
}

interface PastEvent {
  /** The offset of the first event of its turn. */
  readonly turn: number;
  readonly envelope: EventEnvelope;
}

export class Past implements Turns {
  private readonly events = new Map<number, PastEvent>();

  /** One more life: what its journal has not any more was not durable. Before its recovery. */
  async begin(engine: Engine, journal: Journal): Promise<void> {
    const end = journal.endOffset;
    for (const offset of this.events.keys()) if (offset >= end) this.events.delete(offset);
    for await (const turn of journal.replay()) {
      for (const envelope of turn) {
        if (this.events.has(envelope.offset)) continue;
        this.events.set(envelope.offset, { turn: turn[0]?.offset ?? 0, envelope });
      }
    }
    for (const kind of engine.kinds) {
      engine.follow(kind, {
        memory: null,
        evolve: (envelope, changes) => {
          // Replayed ones are there by now.
          if (envelope.offset < end) return;
          changes.set(this.events, envelope.offset, { turn: journal.endOffset, envelope });
        },
      });
    }
  }

  async *replay(): AsyncGenerator<EventEnvelope[]> {
    const sorted = [...this.events.values()].sort(
      (one, other) => one.envelope.offset - other.envelope.offset,
    );
    let turn: EventEnvelope[] = [];
    let number = -1;
    for (const event of sorted) {
      if (event.turn !== number && turn.length > 0) {
        yield turn;
        turn = [];
      }
      number = event.turn;
      turn.push(event.envelope);
    }
    if (turn.length > 0) yield turn;
  }
}
