import { accept, type Command, type Decider } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { Journal } from '../../../src/engine/journal.js';
import type { Fold } from '../../../src/engine/registration.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../../support/deciders/histories.js';
import { seed } from '../../support/seed.js';
import { memoryOf, openSwept, type SweptEngine } from '../../support/swept-history.js';

/** More for longer runs: `STEPWELL_TEST_ROUNDS=50 npm run jest -- test/engine/history`. */
const rounds = Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 3);
const at = 1_767_000_000_000;

/** A tally that counts for years; its state refers to an event that is still read. */
interface Counted {
  readonly type: 'Counted' | 'Closed';
  readonly more: number;
  /** The offset of an event; -1 = none. */
  readonly knownOffset: number;
}
interface Count extends Command {
  readonly type: 'Count' | 'Close';
  readonly more: number;
  readonly knownOffset: number;
}
type Tally = { readonly sum: number; readonly knownOffset: number } | null;

const known = (offset: number) => (offset < 0 ? [] : [offset]);

const tallyDecider: Decider<Tally, Count, Counted> = {
  kind: 'tally',
  events: { Counted: [], Closed: [] },
  initialState: () => null,
  decide: ({ type, more, knownOffset }) =>
    accept([{ type: type === 'Count' ? 'Counted' : 'Closed', more, knownOffset }]),
  evolve: (state, { type, more, knownOffset }) =>
    type === 'Closed' ? null : { sum: (state?.sum ?? 0) + more, knownOffset },
  wants: () => [],
  isFinal: (state) => state === null,
  references: ({ knownOffset }) => known(knownOffset),
  checkpoints: { references: (state) => known(state?.knownOffset ?? -1) },
};

/** An index that remembers how often something was counted, which no state says. */
class Times implements Fold<Counted> {
  private readonly times = new Map<string, number>();
  readonly memory = { name: 'times', maps: { times: this.times } };

  evolve: Fold<Counted>['evolve'] = ({ id, event }, changes) => {
    if (event.type === 'Closed') changes.delete(this.times, id);
    else if (event.type === 'Counted') {
      changes.set(this.times, id, (this.times.get(id) ?? 0) + 1);
    }
  };
}

const open = (disk: SimulatedDisk) =>
  openSwept(
    disk,
    (engine) => void engine.register({ decider: tallyDecider, view: null, folds: [new Times()] }),
    countedNames(),
  );

const ask = ({ engine }: SweptEngine, type: Count['type'], id: string, knownOffset = -1) =>
  engine.dispatch([{ type, kind: 'tally', id, at, more: 1, knownOffset }]);

/** The events left of the streams, as `id#sequence`. */
async function left(journal: Journal): Promise<string[]> {
  const names: string[] = [];
  for await (const turn of journal.replay()) {
    for (const { kind, id, sequence } of turn)
      if (kind === 'tally') names.push(`${id}#${sequence}`);
  }
  return names;
}

/** Seals, sweeps everything, and starts again on the disk. */
async function swept(opened: SweptEngine): Promise<SweptEngine> {
  await opened.roll();
  await opened.sweeper.sweep(at + 1, at);
  await opened.engine.durable();
  return open(opened.disk.restart());
}

const tallies = (engine: Engine) => (memoryOf(engine) as { streams: unknown[] }).streams[0];

describe('a stream that lives for years', () => {
  let opened: SweptEngine;

  beforeEach(async () => {
    opened = await open(new SimulatedDisk());
  });

  it('has a checkpoint at regular numbers of events, and begins at its latest', async () => {
    for (let count = 0; count < 13; count += 1) await ask(opened, 'Count', 'a');
    expect(await left(opened.journal)).toHaveLength(16);
    const before = memoryOf(opened.engine);
    // A sweep ends after whole segments and whole stretches.
    await opened.roll();
    for (let count = 0; count < 8; count += 1) await ask(opened, 'Close', 'filler');
    const again = await swept(opened);
    const names = (await left(again.journal)).filter((name) => name.startsWith('a'));
    expect(names).toEqual(['a#15']);
    expect(tallies(again.engine)).toEqual((before as { streams: unknown[] }).streams[0]);
    await ask(again, 'Count', 'a');
    expect(again.engine.actors('tally').stateOf('a')).toEqual({ sum: 14, knownOffset: -1 });
  });

  it('keeps a part of which an event is needed, and its end', async () => {
    for (let count = 0; count < 13; count += 1) await ask(opened, 'Count', 'a');
    await ask(opened, 'Close', 'a');
    // Offset 0 defines the shape of events: this is the second event of `a`.
    await ask(opened, 'Count', 'b', 2);
    await opened.roll();
    for (let count = 0; count < 8; count += 1) await ask(opened, 'Close', 'filler');
    const again = await swept(opened);
    const names = (await left(again.journal)).filter((name) => !name.startsWith('filler'));
    expect(names).toEqual(['a#0', 'a#1', 'a#2', 'a#3', 'a#4', 'a#15', 'a#16', 'b#0']);
    expect([...again.engine.actors('tally').ids()]).toEqual(['b']);
  });

  it('keeps its end, also if an earlier sweep has removed what lies between', async () => {
    for (let count = 0; count < 13; count += 1) await ask(opened, 'Count', 'a');
    await ask(opened, 'Count', 'b', 2);
    await opened.roll();
    for (let count = 0; count < 8; count += 1) await ask(opened, 'Close', 'filler');
    const again = await swept(opened);
    await ask(again, 'Close', 'a');
    await again.roll();
    for (let count = 0; count < 8; count += 1) await ask(again, 'Close', 'filler');
    const atLast = await swept(again);
    const names = (await left(atLast.journal)).filter((name) => !name.startsWith('filler'));
    expect(names).toEqual(['a#0', 'a#1', 'a#2', 'a#3', 'a#4', 'a#15', 'b#0', 'a#16']);
    expect([...atLast.engine.actors('tally').ids()]).toEqual(['b']);
  });

  it('is damaged where events are missing and no checkpoint follows', async () => {
    const envelope = (sequence: number) => ({
      kind: 'tally',
      id: 'a',
      sequence,
      at,
      offset: 100 + sequence,
      previous: 99 + sequence,
      event: { type: 'Counted', more: 1, knownOffset: -1 } as const,
      body: null,
      byteLength: 0,
      by: null,
    });
    opened.engine.replay([envelope(0), envelope(7)]);
    expect(() => opened.engine.actors('tally').requireComplete()).toThrow(
      'the journal has event 7 of tally a at offset 107, where event 1 must follow',
    );
  });
});

describe('streams that live for years', () => {
  it.each(Array.from({ length: rounds }, (_, round) => seed + round))(
    'leave the same memory, however often they are swept and wherever that is cut (seed %i)',
    async (number) => {
      const random = new SeededRandom(number);
      const whole = await open(new SimulatedDisk());
      let other = await open(new SimulatedDisk());
      for (let step = 0; step < 300; step += 1) {
        const id = `tally${random.below(4)}`;
        const type = random.chance(0.04) ? 'Close' : 'Count';
        await Promise.all([ask(whole, type, id), ask(other, type, id)]);
        if (random.chance(0.1)) await other.roll();
        if (!random.chance(0.04)) continue;
        const { disk } = other;
        const nth = 1 + random.below(40);
        let changes = 0;
        let image: SimulatedDisk | null = null;
        disk.afterChange = () => {
          changes += 1;
          if (changes === nth) image = disk.crash('everything', step);
        };
        await other.sweeper.sweep(at + 1, at);
        disk.afterChange = null;
        await other.engine.durable();
        other = await open(image ?? disk.restart());
        const [ours, theirs] = [other.engine, whole.engine].map((engine) => states(engine));
        expect(ours).toEqual(theirs);
      }
      // Few of the sweeps may have been left to run to their end.
      await other.sweeper.sweep(at + 1, at);
      const lefts = [await left(other.journal), await left(whole.journal)];
      expect(lefts[0]?.length).toBeLessThan((lefts[1]?.length ?? 0) / 2);
    },
    60_000,
  );
});

/** The state, length and count of each tally, as sweeps change the offsets. */
function states(engine: Engine): unknown {
  const actors = engine.actors('tally');
  const times = actors.folds[0]?.memory?.maps['times'];
  return [...actors.ids()].sort().map((id) => {
    const actor = actors.find(id);
    return [id, actor?.state, actor?.length, times?.get(id)];
  });
}
