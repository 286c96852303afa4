import fc from 'fast-check';
import type { Command } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { guards } from '../../../src/engine/history/journal-sweeper.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import {
  type CheckedMemory,
  MemoryCheck,
  MemoryDiffers,
} from '../../../src/engine/snapshots/memory-check.js';
import {
  SnapshotKeeper,
  type WrittenSnapshot,
} from '../../../src/engine/snapshots/snapshot-keeper.js';
import { recoverMemory } from '../../../src/engine/snapshots/snapshot-start.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import type { PublishMessage } from '../../../src/messaging/messages/message.commands.js';
import type { SkippedSnapshot } from '../../../storage/snapshot/snapshots.js';
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

const newFolding = () => foldingEngine((engine) => joinSwept(engine, fill));

function keeperOf({ journal, store, engine, codec, sweeper }: SweptEngine): SnapshotKeeper {
  const source = {
    engine,
    codec,
    label: () => label,
    heldUntil: () => journal.endOffset,
    cut: async () => undefined,
  };
  const keeper = new SnapshotKeeper(source, journal, store.snapshots, 0);
  sweeper.guard = keeper;
  return keeper;
}

/** Which may be asked beside a keeper. */
function checkOf({ journal, store, sweeper, sweeps }: SweptEngine): MemoryCheck {
  const check = new MemoryCheck(journal, store.snapshots, () => label, {
    begin: () => {
      const { engine, codec } = newFolding();
      return new FoldingHere(engine, codec);
    },
    isSwept: () => sweeps.edge > 0,
    pause: async () => undefined,
    monotonic: () => 0,
  });
  sweeper.guard = guards([check, sweeper.guard]);
  return check;
}

/** What memory holds after a start on a disk: from a snapshot, and from the whole journal. */
async function started(disk: SimulatedDisk) {
  const { store } = await openSimulated(disk, { segmentBytes: 16 * 1024 });
  const log = await openJournalLog(store);
  const fold = async (until: string) => {
    const folding = newFolding();
    const reasons: string[] = [];
    const skipped = ({ reason }: SkippedSnapshot) => void reasons.push(reason);
    const journal = new Journal(log, folding.codec);
    const snapshot = await store.snapshots.latest(until, journal.highWatermark, skipped);
    await recoverMemory(folding, journal, snapshot);
    return { engine: folding.engine, snapshot, reasons };
  };
  const [fromSnapshot, fromAll] = [await fold(label), await fold('none')];
  await store.close();
  return { fromSnapshot, fromAll };
}

/** Expects the same start with and without snapshots; returns the offset of the snapshot. */
async function expectSameStart(disk: SimulatedDisk): Promise<number | null> {
  const { fromSnapshot, fromAll } = await started(disk);
  expect(fromAll.snapshot).toBeNull();
  expect(fromSnapshot.reasons).toEqual([]);
  expect(memoryOf(fromSnapshot.engine)).toEqual(memoryOf(fromAll.engine));
  expect(digestOf(itemsOf(fromSnapshot.engine))).toEqual(digestOf(itemsOf(fromAll.engine)));
  return fromSnapshot.snapshot?.offset ?? null;
}

/** None of which repeats another one. */
function publishesOf(count: number) {
  const publishes = messageCommands.filter(
    (command) => command.type === 'PublishMessage' && !isKeyed(command),
  );
  return fc.sample(publishes, { numRuns: count, seed: 5 });
}

function isKeyed(command: Command): boolean {
  return (command as PublishMessage).message.deduplicationKey !== null;
}

const anyHistory = fc.tuple(
  histories(messageCommands, 16, 24),
  fc.array(fc.constantFrom('nothing', 'snapshot', 'sweep', 'both', 'check'), {
    minLength: 24,
    maxLength: 24,
  }),
  fc.integer({ min: 1, max: 150 }),
  fc.constantFrom<CrashPolicy>(...crashPolicies),
);

describe('snapshots of memory', () => {
  it('are as good as the whole journal, beside sweeps and after crashes', async () => {
    const used = new Set<boolean>();
    const checked: (CheckedMemory | null)[] = [];
    await fc.assert(
      fc.asyncProperty(anyHistory, async ([turns, actions, crashAt, policy]) => {
        const disk = new SimulatedDisk();
        const opened = await openSwept(disk, fill, countedNames());
        const keeper = keeperOf(opened);
        const check = checkOf(opened);
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
          if (action === 'snapshot' || action === 'both') works.push(keeper.make());
          if (action === 'check') works.push(check.check().then((each) => checked.push(each)));
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
    expect(checked.filter((each) => each !== null).length).toBeGreaterThan(0);
  }, 600_000);

  it('show the moment at which they begin, while turns continue', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    const publishes = publishesOf(400);
    const { engine, journal, disk } = opened;
    const made: Promise<WrittenSnapshot>[] = [];
    for (const [index, command] of publishes.entries()) {
      await engine.dispatch([{ ...command, id: `msg_${index}`, at: historyStart + index }]);
      if (index === 150) made.push(keeper.make());
    }
    const [snapshot] = await Promise.all(made);
    expect(snapshot?.offset).toBeGreaterThan(100);
    expect(journal.endOffset).toBeGreaterThan((snapshot?.offset ?? 0) + 100);
    expect(await expectSameStart(disk.restart())).toBe(snapshot?.offset);
  });

  it('are checked by folding the events between two of them', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    const check = checkOf(opened);
    const { engine } = opened;
    expect(await check.check()).toBeNull();
    const offsets: number[] = [];
    for (const [index, command] of publishesOf(6).entries()) {
      await engine.dispatch([{ ...command, id: `msg_${index}`, at: historyStart + index }]);
      const { offset } = await keeper.make();
      expect(await check.check()).toEqual({ from: offsets.at(-1) ?? -1, until: offset });
      expect(await check.check()).toBeNull();
      offsets.push(offset);
    }
  });

  it('show what differs if the engine remembers something else', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    const check = checkOf(opened);
    const { engine, journal } = opened;
    const [first, second] = publishesOf(2);
    if (first === undefined || second === undefined) throw new Error('there is no command');
    await engine.dispatch([{ ...first, id: 'one', at: historyStart }]);
    await keeper.make();
    expect(await check.check()).not.toBeNull();
    // Like an `evolve` that counts how often it was called.
    const spoil = (id: string) => {
      const actor = engine.actors('message').find(id);
      Object.assign(actor as object, { state: { ...(actor?.state as object), attempts: 7 } });
    };
    await engine.dispatch([{ ...second, id: 'two', at: historyStart }]);
    spoil('two');
    await keeper.make();
    const failure = await check.check().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MemoryDiffers);
    expect(failure).toMatchObject({
      offset: journal.endOffset,
      items: [{ section: 'message', key: 'two', field: '0', one: 7, other: 0 }],
    });
    spoil('one');
    await engine.dispatch([{ ...second, id: 'three', at: historyStart }]);
    await keeper.make();
    await expect(check.check()).rejects.toThrow('no event has touched');
  });

  it('end when they are cut off, and leave the one before', async () => {
    const opened = await openSwept(new SimulatedDisk(), fill, countedNames());
    const keeper = keeperOf(opened);
    await keeper.make();
    const making = keeper.make();
    const cut = keeper.cutOff();
    await expect(making).rejects.toThrow('no snapshot is made now');
    await cut;
    expect(keeper.isDue).toBe(false);
    expect(await opened.store.snapshots.latest(label, 1000)).not.toBeNull();
  });
});
