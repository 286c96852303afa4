/** An engine over a real store in a folder of its own, without HTTP around it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, JournalClock, systemClock } from '../../src/engine/clock.js';
import { Engine } from '../../src/engine/engine.js';
import { EventCodec } from '../../src/engine/event-codec.js';
import { type Identifiers, systemIdentifiers } from '../../src/engine/identifiers.js';
import { Journal, openJournalLog, type TurnLog } from '../../src/engine/journal.js';
import { replayJournal, resumeEffects } from '../../src/engine/lifecycle/recovery.js';
import { shippedStreamSizes } from '../../src/engine/resting/stream-sizes.js';
import type { EngineWatch, RefusedReaction } from '../../src/engine/turn.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { openStore, type Store, type StoreOptions } from '../../storage/store.js';
import { leave } from './leftovers.js';

export interface EngineOnDisk {
  readonly directory: string;
  readonly engine: Engine;
  readonly codec: EventCodec;
  readonly log: TurnLog;
  readonly journal: Journal;
  /** Defects that were reported to the watch. */
  readonly failures: unknown[];
  readonly refused: RefusedReaction[];
  close(): Promise<void>;
}

async function newFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stepwell-engine-'));
  leave(parent);
  return join(parent, 'data');
}

/** Every open fills a segment with zeros; the shipped 64 MiB would be most of a test's time. */
const segmentBytes = 1024 * 1024;

/**
 * Opens the engine on a folder (a new one by default), lets `fill` register kinds, and recovers.
 * `options` are the store's, where a test needs other ones than usual; `identifiers` name what
 * turns create; `liveStates` as the engine's.
 */
export async function openEngine(
  fill: (engine: Engine) => void,
  directory?: string,
  options: Partial<StoreOptions> = {},
  identifiers: Identifiers = systemIdentifiers,
  liveStates = shippedStreamSizes.liveStates,
): Promise<EngineOnDisk> {
  const folder = directory ?? (await newFolder());
  const store = await openStore(nodeDisk, folder, {
    now: () => systemClock.now(),
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
    randomBytes: (length) => systemIdentifiers.randomBytes(length),
    fsync: 'strict',
    reserveBytes: 0,
    segmentBytes,
    onFailure: (error) => {
      throw error;
    },
    ...options,
  });
  const opened = await startEngine(store, fill, systemClock, identifiers, liveStates);
  const { engine } = opened;
  const close = async () => {
    await engine.durable();
    await store.close();
  };
  return { directory: folder, ...opened, close };
}

/** So few events between two checkpoints that histories of a test have some. */
const eventsPerCheckpoint = 5;

/** The engine over a store that is open, recovered, with what `fill` registered. */
export async function startEngine(
  store: Store,
  fill: (engine: Engine) => void,
  clock: Clock,
  identifiers: Identifiers = systemIdentifiers,
  liveStates = shippedStreamSizes.liveStates,
): Promise<Omit<EngineOnDisk, 'directory' | 'close'>> {
  const codec = new EventCodec();
  const log = await openJournalLog(store);
  const journal = new Journal(log, codec);
  const failures: unknown[] = [];
  const refused: RefusedReaction[] = [];
  const watch: EngineWatch = {
    turnFailed: (error) => failures.push(error),
    reactionRefused: (reaction) => refused.push(reaction),
  };
  const sizes = { liveStates, eventsPerCheckpoint };
  const engine = new Engine(log, codec, new JournalClock(clock), identifiers, watch, sizes);
  fill(engine);
  await replayJournal(engine, journal);
  await resumeEffects(engine);
  return { engine, codec, log, journal, failures, refused };
}

/** An engine that folds and decides nothing, with what `fill` registers. */
export function foldingEngine(fill: (engine: Engine) => void): {
  readonly engine: Engine;
  readonly codec: EventCodec;
} {
  const codec = new EventCodec();
  const append = () => {
    throw new Error('nothing is decided here');
  };
  const log = { endOffset: 0, highWatermark: 0, append, flush: () => undefined };
  const watch = { turnFailed: () => undefined, reactionRefused: () => undefined };
  const engine = new Engine(log, codec, new JournalClock(systemClock), systemIdentifiers, watch);
  fill(engine);
  return { engine, codec };
}
