import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { liveMemory } from '../../../src/engine/snapshots/live-memory.js';
import { MemoryDiffers, SnapshotKeeper } from '../../../src/engine/snapshots/snapshot-keeper.js';
import { recoverMemory } from '../../../src/engine/snapshots/snapshot-start.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { type CrashPolicy, crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../../storage/simulated-store.js';
import { countedNames, histories, historyStart, minute } from '../../support/deciders/histories.js';
import { messageCommands, registerMessages } from '../../support/deciders/message-histories.js';
import { foldingEngine } from '../../support/engine.js';
import { joinSwept, memoryOf, openSwept, type SweptEngine } from '../../support/swept-history.js';

/** More for longer runs: `DECIDER_RUNS=1000 npm run jest -- snapshot-keeper`. */
const runs = Number(process.env['DECIDER_RUNS'] ?? 25);

const fill = (engine: Engine) => void registerMessages(engine);
const label = 'messages';

function newFolding() {
  const made = foldingEngine((engine) => joinSwept(engine, fill));
  return { ...made, aside: new FoldingHere(made.engine, made.codec) };
}

/** How snapshots are made. */
interface Making {
  /** Whether each is compared with what the engine remembers: then all of it is held at once. */
  readonly isCompared: boolean;
  /** Of how much of the journal one is made. */
  readonly portionBytes: number;
}

const atOnce: Making = { isCompared: true, portionBytes: Number.POSITIVE_INFINITY };

function keeperOf(
  { journal, store, engine, sweeper }: SweptEngine,
  { isCompared, portionBytes } = atOnce,
): SnapshotKeeper {
  const keeper = new SnapshotKeeper(
    journal,
    store.snapshots,
    () => label,
    () => newFolding().aside,
    0,
    async (standsStill) => (isCompared ? liveMemory(engine, journal, standsStill) : null),
    portionBytes,
  );
  sweeper.guard = keeper;
  return keeper;
}

/** What a start on a disk remembers, from a snapshot and from everything. */
async function started(disk: SimulatedDisk) {
  const { store } = await openSimulated(disk, { segmentBytes: 16 * 1024 });
  const log = await openJournalLog(store);
  const fold = async (until: string) => {
    const { engine, codec } = newFolding();
    const reasons: string[] = [];
    const watch = {
      progress: () => undefined,
      passedOver: ({ reason }: { reason: string }) => void reasons.push(reason),
    };
    const journal = new Journal(log, codec);
    const report = await recoverMemory(engine, codec, journal, store.snapshots, until, watch);
    return { engine, report, reasons };
  };
  const [fromSnapshot, fromAll] = [await fold(label), await fold('none')];
  await store.close();
  return { fromSnapshot, fromAll };
}

/** Expects that a start is the same with and without snapshots; gives where the snapshot ended. */
async function expectSameStart(disk: SimulatedDisk): Promise<number | null> {
  const { fromSnapshot, fromAll } = await started(disk);
  expect(fromAll.report.snapshot).toBeNull();
  expect(fromSnapshot.reasons).toEqual([]);
  expect(memoryOf(fromSnapshot.engine)).toEqual(memoryOf(fromAll.engine));
  expect(digestOf(itemsOf(fromSnapshot.engine))).toEqual(digestOf(itemsOf(fromAll.engine)));
  return fromSnapshot.report.snapshot?.offset ?? null;
}

const anyHistory = fc.tuple(
  histories(messageCommands, 16, 24),
  fc.array(fc.constantFrom('nothing', 'snapshot', 'sweep', 'both'), {
    minLength: 24,
    maxLength: 24,
  }),
  fc.integer({ min: 1, max: 150 }),
  fc.constantFrom<CrashPolicy>(...crashPolicies),
  fc.record({ isCompared: fc.boolean(), portionBytes: fc.constantFrom(1, 4096, 1e9) }),
);

describe('snapshots of memory', () => {
  it('are as good as the whole journal, beside sweeps and after crashes', async () => {
    const used = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(anyHistory, async ([turns, actions, crashAt, policy, making]) => {
        const disk = new SimulatedDisk();
        const opened = await openSwept(disk, fill, countedNames());
        const keeper = keeperOf(opened, making);
        const crashes: SimulatedDisk[] = [];
        let changes = 0;
        disk.afterChange = () => {
          changes += 1;
          if (changes === crashAt) crashes.push(disk.crash(policy, crashAt));
        };
        let at = historyStart;
        for (const [index, { afterMs, turn }] of turns.entries()) {
          at += afterMs;
          await opened.engine.dispatch(turn.map((command) => ({ ...command, at })));
          await opened.roll();
          const action = actions[index] ?? 'nothing';
          const works: Promise<unknown>[] = [];
          if (action !== 'nothing' && action !== 'sweep') works.push(keeper.make());
          if (action === 'sweep' || action === 'both') {
            works.push(opened.sweeper.sweep(at - minute, at));
          }
          for (const result of await Promise.allSettled(works)) {
            if (result.status === 'fulfilled') continue;
            if (!/no snapshot/.test(`${result.reason}`)) throw result.reason;
          }
        }
        disk.afterChange = null;
        await opened.engine.durable();
        used.add((await expectSameStart(disk.restart())) !== null);
        const [crashed] = crashes;
        if (crashed !== undefined) await expectSameStart(crashed);
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(used).toContain(true);
  }, 600_000);

  it('are made portion by portion, which come to the same, and hold what changes', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const portionBytes = 4 * 1024;
    const keeper = keeperOf(opened, { isCompared: true, portionBytes });
    const commands = fc.sample(
      messageCommands.filter(({ type }) => type === 'PublishMessage'),
      { numRuns: 400, seed: 5 },
    );
    const { engine, journal, store } = opened;
    for (const [index, command] of commands.entries()) {
      await engine.dispatch([{ ...command, id: `msg_${index}`, at: historyStart + index }]);
      if (index % 50 === 0) await opened.roll();
    }
    const offsets: number[] = [];
    do {
      const { offset, from } = await keeper.make();
      expect(from).toBe(offsets.at(-1) ?? -1);
      offsets.push(offset);
      const { fromSnapshot, fromAll } = await started(opened.disk.restart());
      expect(fromSnapshot.report.snapshot?.offset).toBe(offset);
      expect(digestOf(itemsOf(fromSnapshot.engine))).toEqual(digestOf(itemsOf(fromAll.engine)));
    } while (keeper.isDue && offsets.length < 100);
    expect(offsets.length).toBeGreaterThan(5);
    expect(offsets.at(-1)).toBe(journal.endOffset);
    expect(await store.snapshots.latest(label, journal.endOffset)).not.toBeNull();
  });

  it('are not written where the engine remembers something else, and say what', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    const { engine, journal } = opened;
    const [publish] = fc.sample(
      messageCommands.filter(({ type }) => type === 'PublishMessage'),
      { numRuns: 1, seed: 3 },
    );
    if (publish === undefined) throw new Error('there is no command');
    await engine.dispatch([{ ...publish, at: historyStart }]);
    const { offset, digest } = await keeper.make();
    expect(digest).toBe(digestOf(itemsOf(engine)).hex);
    const actor = engine.actors('message').find(publish.id);
    // As an `evolve` would do that counts what it was called for.
    Object.assign(actor as object, { state: { ...(actor?.state as object), attempts: 7 } });
    const failure = await keeper.make().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MemoryDiffers);
    expect(failure).toMatchObject({
      offset: journal.endOffset,
      sections: ['message'],
      items: [{ section: 'message', key: publish.id, field: '0', one: 7, other: 0 }],
    });
    expect((await opened.store.snapshots.latest(label, 1000))?.offset).toBe(offset);
  });

  it('end when they are cut, and leave the one before', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    await keeper.make();
    const making = keeper.make();
    const cut = keeper.cut();
    await expect(making).rejects.toThrow('no snapshot is made now');
    await cut;
    expect(keeper.isDue).toBe(false);
    expect(await opened.store.snapshots.latest(label, 1000)).not.toBeNull();
  });
});
