/** What holds for every decider when its journal is swept, with crashes in between. */
import fc from 'fast-check';
import type { Command } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import {
  type JournalSweepEvent,
  journalSweepKind,
} from '../../../src/engine/history/journal-sweep.events.js';
import type { Journal } from '../../../src/engine/journal.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import {
  danglingOffsets,
  type Leftovers,
  memoryOf,
  openSwept,
  unnamedOffsets,
} from '../swept-history.js';
import { countedNames, histories, historyStart, minute, runs, type Subject } from './histories.js';

/** The moment of a sweep: behind a turn, of what is older, with a crash at a change of the disk. */
const anySweep = fc.record({
  after: fc.integer({ min: 12, max: 23 }),
  beforeMs: fc.constantFrom(-1, 0, minute, 10 * minute),
  crashAt: fc.nat(60),
  isFollowed: fc.boolean(),
});

/** Tests that what is left of a swept journal answers and remembers as the whole one does. */
export function testSweeps<Indexes>(subject: Subject<Indexes>): void {
  it('answers and remembers after sweeps and their crashes as before', async () => {
    await fc.assert(
      fc.asyncProperty(histories(subject.commands, 24, 32), anySweep, async (turns, chosen) => {
        const whole = await openSubject(subject);
        let swept = await openSubject(subject);
        let at = historyStart;
        for (const [index, { afterMs, turn }] of turns.entries()) {
          at += afterMs;
          if (index === chosen.after) {
            const before = await offsetsOf(whole.journal);
            const crashed = await crashedInSweep(subject, swept, at, chosen);
            const known = await recordSweeps(whole, await sweepsOf(crashed.journal), at);
            expect(memoryOf(crashed.engine)).toEqual(memoryOf(whole.engine));

            const { opened, leftovers } = await sweptAndRestarted(subject, crashed, at, chosen);
            swept = opened;
            await recordSweeps(whole, (await sweepsOf(swept.journal)).slice(known), at);
            expect(memoryOf(swept.engine)).toEqual(memoryOf(whole.engine));
            expect(await danglingOffsets(swept, before, leftovers)).toEqual([]);
          }
          const commands = turn.map((command) => ({ ...whole.address(command), at }));
          const outcomes = await whole.engine.dispatch(commands);
          expect(await swept.engine.dispatch(commands)).toEqual(outcomes);
          await swept.roll();
        }
        expect(memoryOf(swept.engine)).toEqual(memoryOf(whole.engine));
        for await (const events of whole.journal.replay()) {
          expect(events.flatMap((event) => unnamedOffsets(whole.engine, event))).toEqual([]);
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  }, 600_000);
}

/** A subject over a simulated disk, with all that sweeps need. */
async function openSubject<Indexes>(
  { register, address }: Subject<Indexes>,
  disk = new SimulatedDisk(),
  names = countedNames(),
) {
  const registered: { indexes?: Indexes } = {};
  const join = (engine: Engine) => {
    registered.indexes = register(engine);
  };
  const opened = await openSwept(disk, join, names);
  const indexes = registered.indexes as Indexes;
  return {
    ...opened,
    names,
    address: (command: Command) => address?.(command, indexes) ?? command,
  };
}

type OpenedSubject = Awaited<ReturnType<typeof openSubject>>;

interface ChosenSweep {
  readonly beforeMs: number;
  readonly crashAt: number;
  /** As a machine that follows does it: what is needed is found out once the sweep has begun. */
  readonly isFollowed: boolean;
}

/** Sweeps with a crash at the `crashAt`th change of the disk, and restarts on what that leaves. */
async function crashedInSweep<Indexes>(
  subject: Subject<Indexes>,
  { disk, names, sweeper, sweeps, engine, edge: edgeOf }: OpenedSubject,
  at: number,
  { beforeMs, crashAt, isFollowed }: ChosenSweep,
): Promise<OpenedSubject> {
  let changes = 0;
  let left: SimulatedDisk | null = null;
  disk.afterChange = () => {
    changes += 1;
    if (changes === crashAt) left = disk.crash('nothing', crashAt);
  };
  if (isFollowed) {
    const edge = await edgeOf(at - beforeMs);
    await sweeps.begin(edge, at);
    await sweeper.follow({ edge, at });
  } else {
    await sweeper.sweep(at - beforeMs, at);
  }
  disk.afterChange = null;
  await engine.durable();
  return openSubject(subject, left ?? disk.restart(), names);
}

/**
 * Sweeps what a crash has left as far as it can, and restarts: neighbours that were merged may hold
 * the edge.
 */
async function sweptAndRestarted<Indexes>(
  subject: Subject<Indexes>,
  crashed: OpenedSubject,
  at: number,
  { beforeMs }: ChosenSweep,
): Promise<{ readonly opened: OpenedSubject; readonly leftovers: Leftovers }> {
  const until = await crashed.edge(at - beforeMs);
  const outcome = await crashed.sweeper.sweep(at - beforeMs, at);
  await crashed.engine.durable();
  const opened = await openSubject(subject, crashed.disk.restart(), crashed.names);
  return { opened, leftovers: { from: outcome?.until ?? 0, until } };
}

/** What the sweeps of a journal were to be, and came to. */
async function sweepsOf(journal: Journal): Promise<JournalSweepEvent[]> {
  const sweeps: JournalSweepEvent[] = [];
  for await (const turn of journal.replay()) {
    for (const { kind, event } of turn) {
      if (kind === journalSweepKind) sweeps.push(event as JournalSweepEvent);
    }
  }
  return sweeps;
}

/** The same events of another journal, of which nothing goes; answers how many there were. */
async function recordSweeps(
  { sweeps }: OpenedSubject,
  events: readonly JournalSweepEvent[],
  at: number,
): Promise<number> {
  for (const event of events) {
    if (event.type === 'JournalSweepBegun') await sweeps.begin(event.edge, at);
    else await sweeps.record(event, at);
  }
  return events.length;
}

async function offsetsOf(journal: Journal): Promise<ReadonlySet<number>> {
  const offsets = new Set<number>();
  for await (const turn of journal.replay()) for (const { offset } of turn) offsets.add(offset);
  return offsets;
}
