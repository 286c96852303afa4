/**
 * Boot: the events of the journal are folded into states and indexes; once requests are answered,
 * every stream is asked what it wants. If there is a snapshot, `snapshots/snapshot-start.ts` folds
 * the events behind it.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Engine } from '../engine.js';
import type { Journal } from '../journal.js';

/** Folds the journal and returns the number of events; decides nothing and sends nothing. */
export async function replayJournal(engine: Engine, journal: Journal): Promise<number> {
  let events = 0;
  for await (const envelopes of journal.replay()) {
    engine.replay(envelopes);
    events += envelopes.length;
  }
  engine.requireComplete();
  return events;
}

/**
 * Asks every stream what it wants, those that were wanted earliest first, a few at a time. Settles
 * when all that are due were asked. The effects that run then are those from before the crash.
 */
export async function resumeEffects(engine: Engine): Promise<void> {
  for (const kind of engine.kinds) engine.actors(kind).restAll();
  engine.effects.begin();
  let kinds = engine.kinds;
  for (;;) {
    kinds = kinds.filter((kind) => engine.effects.askDue(kind));
    if (kinds.length === 0) return;
    await nextTick();
  }
}
