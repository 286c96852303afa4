/**
 * Boot: every event of the journal is folded into states and indexes, then every stream is asked
 * what it wants, in journal order. Snapshots will shorten the fold; nothing else will change here.
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
  for (const kind of engine.kinds) engine.actors(kind).requireWhole();
  return events;
}

/** Asks every stream what it wants. What runs afterwards is what ran before the crash. */
export async function resumeEffects(engine: Engine): Promise<number> {
  let streams = 0;
  for (const kind of engine.kinds) {
    const actors = engine.actors(kind);
    for (const id of [...actors.ids()]) {
      if (!actors.isAtRest(id)) engine.reconcile(kind, id);
      streams += 1;
      if (streams % streamsPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return streams;
}
