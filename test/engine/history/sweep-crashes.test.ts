import type { Engine } from '../../../src/engine/engine.js';
import type { Journal } from '../../../src/engine/journal.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../../support/deciders/histories.js';
import { type Note, type Noted, noteDecider } from '../../support/notes.js';
import { seed } from '../../support/seed.js';
import { openSwept } from '../../support/swept-history.js';

/** More for longer runs: `STEPWELL_TEST_ROUNDS=20 npm run jest -- test/engine/history`. */
const rounds = Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 1);
const at = 1_767_000_000_000;
const notes = 120;

const open = (disk: SimulatedDisk) =>
  openSwept(
    disk,
    (engine) => void engine.register({ decider: noteDecider, view: null, folds: [] }),
    countedNames(),
  );

/** The content of a disk at one moment, and the notes acknowledged as alive by then. */
interface Moment {
  readonly image: SimulatedDisk;
  readonly acknowledged: ReadonlySet<string>;
}

async function offsetsIn(journal: Journal): Promise<ReadonlySet<number>> {
  const offsets = new Set<number>();
  for await (const turn of journal.replay()) for (const { offset } of turn) offsets.add(offset);
  return offsets;
}

/** The events that these notes name and that no longer exist. */
async function missedBy(
  ids: ReadonlySet<string>,
  journal: Journal,
  before: ReadonlySet<number>,
): Promise<readonly number[]> {
  const left = await offsetsIn(journal);
  const named: number[] = [];
  for await (const turn of journal.replay()) {
    for (const { kind, id, event } of turn) {
      if (kind === noteDecider.kind && ids.has(id)) named.push(...(event as Noted).about);
    }
  }
  return named.filter((offset) => before.has(offset) && !left.has(offset));
}

const alive = (engine: Engine) => new Set(engine.actors('note').ids());

/**
 * A history of notes about notes, most of them crossed out, is swept while turns continue; the
 * power may be cut after every change of the disk.
 */
async function sweptMoments(random: SeededRandom, disk: SimulatedDisk): Promise<Moment[]> {
  const { engine, journal, sweeper, roll } = await open(disk);
  const acknowledged = new Set<string>();
  const ask = async (type: Note['type'], id: string, about: readonly number[] = []) => {
    // A note that is being crossed out may be gone before the answer comes.
    if (type === 'CrossOut') acknowledged.delete(id);
    await engine.dispatch([{ type, kind: 'note', id, at, about }]);
    if (type === 'Note') acknowledged.add(id);
  };
  const past = () => [1 + random.below(Math.max(1, journal.highWatermark - 1))];
  for (let number = 0; number < notes; number += 1) {
    await ask('Note', `note${number}`, random.chance(0.2) ? past() : []);
    if (random.chance(0.8)) await ask('CrossOut', `note${number}`);
    if (number % 10 === 9) await roll();
  }
  const moments: Moment[] = [];
  const turns: Promise<void>[] = [];
  disk.afterChange = () => {
    moments.push({ image: disk.copy(), acknowledged: new Set(acknowledged) });
    if (moments.length % 6 !== 0 || turns.length > 12) return;
    const [oldest] = acknowledged;
    if (oldest === undefined) return;
    // A turn names only living notes, so they were needed when the sweep began.
    const named = engine.actors('note').firstOffsetOf(oldest) ?? 0;
    const late = ask('Note', `late${moments.length}`, [named]);
    turns.push(late, ask('CrossOut', oldest));
  };
  await sweeper.sweep(at + 1, at);
  await Promise.all(turns);
  disk.afterChange = null;
  await sweeper.stop();
  return moments;
}

describe('a sweep while turns go on', () => {
  it.each(Array.from({ length: rounds }, (_, round) => seed + round))(
    'loses nothing that is alive or referred to, wherever the power is cut (seed %i)',
    async (number) => {
      const random = new SeededRandom(number);
      const moments = await sweptMoments(random, new SimulatedDisk(new SeededRandom(number)));
      expect(moments.length).toBeGreaterThan(40);
      let removed = 0;
      for (const [index, { image, acknowledged }] of moments.entries()) {
        const policy = crashPolicies[index % crashPolicies.length] ?? 'nothing';
        const crashed = await open(image.crash(policy, index));
        const before = await offsetsIn(crashed.journal);
        const there = alive(crashed.engine);
        expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
        await crashed.roll();
        const outcome = await crashed.sweeper.sweep(at + 1, at);
        removed += outcome?.removedRecords ?? 0;
        expect(await missedBy(there, crashed.journal, before)).toEqual([]);
        await crashed.engine.durable();
        const again = await open(crashed.disk.restart());
        expect(alive(again.engine)).toEqual(there);
      }
      expect(removed).toBeGreaterThan(0);
    },
    120_000,
  );
});
