import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { Fold } from '../../../src/engine/registration.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../../support/deciders/histories.js';
import { type Noted, noteDecider } from '../../support/notes.js';
import { openSwept, type SweptEngine } from '../../support/swept-history.js';

const at = 1_767_000_000_000;
const dayMs = 86_400_000;

/** Remembers notes for a day. */
class DayOfNotes implements Fold<Noted> {
  readonly notes = new Map<string, { readonly offset: number; readonly at: number }>();
  readonly memory = { name: 'day of notes', maps: { notes: this.notes } };

  evolve({ id, offset, at }: EventEnvelope<Noted>, changes: Parameters<Fold['evolve']>[1]): void {
    changes.set(this.notes, id, { offset, at });
  }

  forget(now: number, changes: Parameters<Fold['evolve']>[1]): void {
    for (const [id, note] of this.notes) {
      if (note.at + dayMs <= now) changes.deleteInOrder(this.notes, id);
    }
  }
}

async function opened(disk = new SimulatedDisk()): Promise<[SweptEngine, DayOfNotes]> {
  const fold = new DayOfNotes();
  const fill = (engine: Engine) =>
    void engine.register({ decider: noteDecider, view: null, folds: [fold as Fold] });
  return [await openSwept(disk, fill, countedNames()), fold];
}

describe('an index, where no sweep is worth it', () => {
  it('forgets what is over once a day, and remembers the same after a restart', async () => {
    const [swept, fold] = await opened();
    const { engine, journal, sweeper, sweeps } = swept;
    const begun = async () => {
      let count = 0;
      for await (const turn of journal.replay()) {
        count += turn.filter(({ event }) => event.type === 'JournalSweepBegun').length;
      }
      return count;
    };
    await engine.dispatch([{ type: 'Note', kind: 'note', id: 'old', at, about: [] }]);
    expect(await sweeper.sweep(at, at)).toBeNull();
    // Nothing is over, so nothing is written.
    expect([await begun(), fold.notes.size]).toEqual([0, 1]);
    expect(await sweeper.sweep(at, at + dayMs)).toBeNull();
    expect([await begun(), fold.notes.size, sweeps.edge]).toEqual([1, 0, 0]);
    const young = { type: 'Note', kind: 'note', id: 'young', at, about: [] } as const;
    await engine.dispatch([young]);
    // Once a day is enough.
    expect(await sweeper.sweep(at, at + dayMs + 1)).toBeNull();
    expect([await begun(), fold.notes.size]).toEqual([1, 1]);
    expect(await sweeper.sweep(at, at + 2 * dayMs)).toBeNull();
    expect([await begun(), fold.notes.size]).toEqual([2, 0]);
    expect(engine.actors('note').size).toBe(2);
    const [again, restored] = await opened(swept.disk.restart());
    expect([again.engine.actors('note').size, restored.notes.size]).toEqual([2, 0]);
  });
});
