/** Restores memory at a start, and tells a waiting operator what takes so long. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { FoundSnapshot, SkippedSnapshot } from '../../../storage/snapshot/snapshots.js';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import { EventCodec } from '../../engine/event-codec.js';
import type { PastView } from '../../engine/history/past-moment.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { imageLabel } from '../../engine/snapshots/memory-image.js';
import { recoverMemory, type StartProgress } from '../../engine/snapshots/snapshot-start.js';

/**
 * The first line comes after a second, later ones at growing intervals: a start may take minutes.
 */
const firstLineMs = 1000;
const linesApartMaxMs = 10_000;

/**
 * Used once in the life of a process. A snapshot that is unreadable is skipped, with a line in the
 * log: the start takes longer but has the same result.
 */
@Injectable()
export class MemoryStart {
  /** The snapshot that the start continued from; null if it folded everything. */
  found: FoundSnapshot | null = null;

  /** `build` distinguishes this program from any other that may keep different state. */
  constructor(
    private readonly store: Store,
    readonly codec: EventCodec,
    private readonly journal: Journal,
    @Inject(provided.build) readonly build: string,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.past) private readonly past: PastView | null,
  ) {}

  /** Fills an engine in which everything is registered. */
  async recover(engine: Engine): Promise<void> {
    const { store, codec, journal, log } = this;
    const label = imageLabel(engine, this.build);
    const skipped = ({ file, reason }: SkippedSnapshot) =>
      log.info({ file, reason }, 'a snapshot cannot be used; more of the journal must be folded');
    const snapshot = await store.snapshots.latest(label, journal.highWatermark, skipped);
    const events = await recoverMemory({ engine, codec }, journal, snapshot, this.progress());
    this.found = snapshot;
    const streams = engine.kinds.reduce((sum, kind) => sum + engine.actors(kind).size, 0);
    const snapshotOffset = snapshot?.offset ?? null;
    const level = events === 0 && snapshot === null ? 'debug' : 'info';
    log[level]({ snapshotOffset, events, streams }, 'the journal is replayed');
  }

  /** Reports the progress of a start. */
  private progress(): (progress: StartProgress) => void {
    const beganAt = this.clock.monotonic();
    let nextAt = beganAt + firstLineMs;
    let foldingSince: number | null = null;
    return (progress) => {
      // It throws if the past is no longer wanted, which ends its start.
      this.past?.throwIfStopped();
      const now = this.clock.monotonic();
      if (progress.foldedUntil > progress.snapshotOffset) foldingSince ??= now;
      if (now < nextAt) return;
      // The interval is the time passed so far, so that a long start has few lines.
      nextAt = now + Math.min(Math.max(firstLineMs, now - beganAt), linesApartMaxMs);
      this.log.info({ ...progress }, progressLine(progress, now - (foldingSince ?? now)));
    };
  }
}

/** `foldingMs`: how long events have been folded. */
function progressLine(progress: StartProgress, foldingMs: number): string {
  const { snapshotOffset, foldedUntil, until } = progress;
  if (foldedUntil <= snapshotOffset) return 'starting: the snapshot of memory is read';
  const from = Math.max(snapshotOffset, 0);
  const part = (foldedUntil - from) / Math.max(1, until - from);
  const left = Math.ceil((foldingMs * (1 / part - 1)) / 1000);
  const journal = snapshotOffset < 0 ? 'the journal' : 'the journal behind the snapshot';
  return `starting: ${Math.floor(part * 100)} % of ${journal} is read, about ${left} s are left`;
}
