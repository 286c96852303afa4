/**
 * Boot: events of the journal are folded into states and indexes, then every stream is asked what
 * it wants. Where there is a snapshot, `snapshots/snapshot-start.ts` folds what came behind it.
 */
import type { Engine } from './engine.js';
import type { Journal } from './journal.js';

/** Streams asked per tick, so that a million effects do not block the event loop. */
const streamsPerTick = 256;

/** What recovery did, for the start line. */
export interface RecoveryReport {
  readonly events: number;
  readonly streams: number;
}

/** Folds the journal; nothing is decided and nothing is sent. */
export async function replayJournal(engine: Engine, journal: Journal): Promise<number> {
  let events = 0;
  for await (const envelopes of journal.replay()) {
    engine.replay(envelopes);
    events += envelopes.length;
  }
  engine.requireWhole();
  return events;
}

/** Asks every stream what it wants. What runs afterwards is what ran before the crash. */
export async function resumeEffects(engine: Engine): Promise<number> {
  let streams = 0;
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  for (const kind of engine.kinds) {
    const actors = engine.actors(kind);
    streams += actors.size;
    let asked = 0;
    for (const id of [...actors.awakeIds()]) {
      engine.reconcile(kind, id);
      asked += 1;
      if (asked % streamsPerTick === 0) await tick();
    }
    while (engine.effects.askDue(kind)) await tick();
  }
  return streams;
}
