/** Engines over simulated disks that share a log: one that writes it, and others that follow. */
import type { CountedBatch } from '../../../src/cluster/shared-history.js';
import { systemClock } from '../../../src/engine/clock.js';
import type { SweepReport } from '../../../src/engine/journal.js';
import { Follower } from '../../../src/server/cluster/follower.js';
import { DroppedLogs } from '../../../src/server/cluster/kept/dropped-logs.js';
import { SharedCommits } from '../../../src/server/cluster/shared-commits.js';
import type { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { countedNames } from '../deciders/histories.js';
import { noteDecider } from '../notes.js';
import { openSwept, type SweptEngine } from '../swept-history.js';

/** So small that a short history has many segments. */
const segmentBytes = 1500;

/** An engine of notes over `disk`, whose store commits through `commits`. */
export function openNotes(disk: SimulatedDisk, commits: SharedCommits): Promise<SweptEngine> {
  return openSwept(
    disk,
    (engine) => void engine.register({ decider: noteDecider, view: null, folds: [] }),
    countedNames(),
    { segmentBytes, commits },
  );
}

/** An engine that writes the shared log, and the batches that count in it. */
export interface WritingEngine extends SweptEngine {
  readonly batches: readonly CountedBatch[];
  /** It gives the shared log up. */
  leave(): void;
}

export async function openWriter(disk: SimulatedDisk): Promise<WritingEngine> {
  const batches: CountedBatch[] = [];
  const commits = new SharedCommits(systemClock);
  const opened = await openNotes(disk, commits);
  writeInto(commits, batches, await DroppedLogs.open(opened.store));
  return { ...opened, batches, leave: () => commits.leave() };
}

/** What is committed from now on counts. */
function writeInto(commits: SharedCommits, batches: CountedBatch[], drops: DroppedLogs): void {
  const submit = async (body: Buffer) => {
    const sequence = batches.length + 1;
    batches.push({ epoch: 1, sequence, place: sequence, at: 0, body: Buffer.from(body) });
    return { sequence };
  };
  commits.open(submit, drops.note.bind(drops));
}

/** An engine that follows, and sweeps what the writer says that it sweeps. */
export interface FollowingEngine extends SweptEngine {
  readonly follower: Follower;
  /** What its sweeps have come to, or will. */
  readonly followed: readonly Promise<SweepReport | null>[];
  /** Settles once all of it is in folder and memory. */
  take(batches: readonly CountedBatch[]): Promise<void>;
  /** From now on it writes the shared log, behind `batches`. */
  own(batches: CountedBatch[]): void;
}

export async function openFollower(disk: SimulatedDisk): Promise<FollowingEngine> {
  const commits = new SharedCommits(systemClock);
  const opened = await openNotes(disk, commits);
  const { store, journal, engine, sweeper } = opened;
  const followed: Promise<SweepReport | null>[] = [];
  const drops = await DroppedLogs.open(store);
  let failure: unknown = null;
  const follower = new Follower({
    store,
    journal,
    engine,
    digests: null,
    drops,
    duties: { sweepBegun: (range) => void followed.push(sweeper.follow(range)) },
    applied: async () => undefined,
    failed: (error) => {
      failure = error;
    },
  });
  return {
    ...opened,
    follower,
    followed,
    async take(batches) {
      for (const batch of batches) follower.take(batch);
      await follower.idle();
      if (failure !== null) throw failure;
    },
    own: (batches) => writeInto(commits, batches, drops),
  };
}
