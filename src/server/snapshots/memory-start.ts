/** Puts memory back at a start, and tells a waiting operator what takes so long. */
import type { Logger } from 'pino';
import type { FoundSnapshot } from '../../../storage/snapshot/snapshots.js';
import type { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { EventCodec } from '../../engine/event-codec.js';
import type { Journal } from '../../engine/journal.js';
import { resumeEffects } from '../../engine/recovery.js';
import { imageLabel } from '../../engine/snapshots/memory-image.js';
import {
  recoverMemory,
  type StartProgress,
  type StartWatch,
} from '../../engine/snapshots/snapshot-start.js';

const progressEveryMs = 1000;

export class MemoryStart {
  /** What the start has gone on from; null = it has folded everything. */
  found: FoundSnapshot | null = null;

  /** `build` tells this program from any other that may remember otherwise. */
  constructor(
    private readonly store: Store,
    private readonly codec: EventCodec,
    private readonly journal: Journal,
    readonly build: string,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Fills an engine in which everything is registered, and starts what ran before. */
  async recover(engine: Engine): Promise<void> {
    const { store, codec, journal, log } = this;
    const label = imageLabel(engine, this.build);
    const watch = this.watch();
    const { snapshot, events } = await recoverMemory(
      engine,
      codec,
      journal,
      store.snapshots,
      label,
      watch,
    );
    this.found = snapshot;
    const streams = await resumeEffects(engine);
    const snapshotOffset = snapshot?.offset ?? null;
    const level = events === 0 && snapshot === null ? 'debug' : 'info';
    log[level]({ snapshotOffset, events, streams }, 'the journal is replayed');
  }

  private watch(): StartWatch {
    let nextAt = this.clock.monotonic() + progressEveryMs;
    return {
      progress: (progress) => {
        const now = this.clock.monotonic();
        if (now < nextAt) return;
        nextAt = now + progressEveryMs;
        this.log.info({ ...progress }, progressLine(progress));
      },
      passedOver: ({ file, reason }) =>
        this.log.info({ file, reason }, 'a snapshot is not used; more of the journal is folded'),
    };
  }
}

function progressLine({ snapshotOffset, foldedUntil, until }: StartProgress): string {
  if (foldedUntil <= snapshotOffset) return 'starting: the snapshot is being read';
  const from = Math.max(snapshotOffset, 0);
  const percent = Math.floor((100 * (foldedUntil - from)) / Math.max(1, until - from));
  return `starting: ${percent} % of the journal behind the snapshot is folded`;
}
