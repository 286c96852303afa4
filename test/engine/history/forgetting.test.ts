import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { Fold } from '../../../src/engine/registration.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../../support/deciders/histories.js';
import { type Noted, noteDecider } from '../../support/notes.js';
import { openSwept, type SweptEngine } from '../../support/swept-history.js';

const at = 1_767_000_000_000;
const dayMs = 86_400_000;

interface Kept {
  readonly offset: number;
  readonly at: number;
}

/** Remembers notes for a day. */
class DayOfNotes implements Fold<Noted> {
  readonly notes = new Map<string, Kept>();
  readonly memory = {
    name: 'day of notes',
    maps: { notes: this.notes },
    inOrder: [this.notes],
    expiring: [{ map: this.notes, isOver: (note: Kept, now: number) => this.isOver(note, now) }],
  };
  private examined = [0];

  /** Begins to count the entries that are examined in each turn of the event loop. */
  examinedInTurns(): () => readonly number[] {
    this.examined = [0];
    const turn = () => {
      this.examined.push(0);
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    return () => {
      clearImmediate(next);
      return this.examined;
    };
  }

  private isOver(note: Kept, now: number): boolean {
    this.examined.push((this.examined.pop() ?? 0) + 1);
    return note.at + dayMs <= now;
  }

  evolve({ id, offset, at }: EventEnvelope<Noted>, changes: Parameters<Fold['evolve']>[1]): void {
    changes.set(this.notes, id, { offset, at });
  }
}

async function opened(disk = new SimulatedDisk()): Promise<[SweptEngine, DayOfNotes]> {
  const fold = new DayOfNotes();
  const fill = (engine: Engine) =>
    void engine.register({ decider: noteDecider, view: null, folds: [fold as Fold] });
  return [await openSwept(disk, fill, countedNames()), fold];
}

describe('an index, while no sweep is worth it,', () => {
  it('drops expired entries once a minute, and remembers the same after a restart', async () => {
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
    // Nothing has expired, so nothing is written.
    expect([await begun(), fold.notes.size]).toEqual([0, 1]);
    expect(await sweeper.sweep(at, at + dayMs)).toBeNull();
    expect([await begun(), fold.notes.size, sweeps.edge]).toEqual([1, 0, 0]);
    const young = { type: 'Note', kind: 'note', id: 'young', at, about: [] } as const;
    await engine.dispatch([young]);
    expect(await sweeper.sweep(at, at + dayMs + 59_999)).toBeNull();
    expect([await begun(), fold.notes.size]).toEqual([1, 1]);
    // As if all of the journal were kept.
    expect(await sweeper.forget(at + dayMs + 60_000)).toBeNull();
    expect([await begun(), fold.notes.size]).toEqual([2, 0]);
    expect(engine.actors('note').size).toBe(2);
    const [again, restored] = await opened(swept.disk.restart());
    expect([again.engine.actors('note').size, restored.notes.size]).toEqual([2, 0]);
  });

  it('drops many expired entries sooner', async () => {
    const [{ engine, sweeper }, fold] = await opened();
    const note = (id: number, noted: number) =>
      ({ type: 'Note', kind: 'note', id: `${id}`, at: noted, about: [] }) as const;
    const take = async (from: number, until: number) => {
      for (let id = from; id < until; id += 256) {
        const turn = Array.from({ length: Math.min(256, until - id) }, (_, k) => note(id + k, at));
        await engine.dispatch(turn);
      }
    };
    await take(0, 1);
    await sweeper.forget(at + dayMs);
    expect(fold.notes.size).toBe(0);
    await take(1, 4096);
    await engine.dispatch([note(4096, at + dayMs)]);
    await sweeper.forget(at + dayMs + 1);
    expect(fold.notes.size).toBe(4096);
    await take(4097, 4098);
    // The entry in the middle is young: those behind it are not examined.
    await sweeper.forget(at + dayMs + 2);
    expect(fold.notes.size).toBe(4097);
    await sweeper.forget(at + dayMs + 60_000);
    expect([...fold.notes.keys()]).toEqual(['4096']);
    await take(5000, 5000 + 4096);
    await sweeper.forget(at + 2 * dayMs + 60_001);
    expect(fold.notes.size).toBe(0);
  });

  it('examines a few entries at a time, while others come and go', async () => {
    const [{ engine, disk, sweeper }, fold] = await opened();
    const note = (id: string, noted: number) =>
      engine.dispatch([{ type: 'Note', kind: 'note', id, at: noted, about: [] }]);
    const count = 20_000;
    const turn = (from: number) =>
      Array.from({ length: 250 }, (_, k) => {
        const id = `${from + k}`;
        return { type: 'Note', kind: 'note', id, at: at + (from + k) * 10, about: [] } as const;
      });
    for (let from = 0; from < count; from += 250) await engine.dispatch(turn(from));
    const now = at + dayMs + 10_000;
    const examined = fold.examinedInTurns();
    const forgotten = sweeper.forget(now);
    for (let ticks = 0; ticks < 3; ticks += 1) {
      // One that has expired already, and one that has not.
      await note(`old ${ticks}`, at + ticks);
      await note(`young ${ticks}`, now + ticks);
    }
    await forgotten;
    expect(Math.max(...examined())).toBeLessThanOrEqual(2 * 4096);
    const left = [...fold.notes];
    expect(left.length).toBe(count - 1001 + 3);
    await engine.durable();
    const [, restored] = await opened(disk.restart());
    expect([...restored.notes]).toEqual(left);
  });
});
