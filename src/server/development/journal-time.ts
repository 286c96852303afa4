/** Where a journal ends later than the clock shows: `clock.json` is lost, or time was set back. */
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { keepAhead } from './kept-clock.js';
import { MovableClock } from './movable-clock.js';

/** Clocks of machines are corrected by less, and the journal bridges that (ADR 38). */
const correctedMaxMs = 60_000;

/** A folder that has just been opened. */
export interface OpenedFolder {
  readonly journal: Pick<PartitionLog, 'segments'>;
  readonly path: string;
  readonly disk: Disk;
  /** It is looked at only: nothing is written there. */
  readonly readOnly: boolean;
}

/** When the journal was appended to last, Unix milliseconds; 0 = it is empty. */
export function lastTimeOf({ segments }: OpenedFolder['journal']): number {
  return Math.max(0, ...segments.map(({ latestTime }) => latestTime));
}

/**
 * Moves a movable clock to the last event, and keeps that in the folder. Any other clock stays as
 * it is. The log says both. Rejects where the folder cannot be written.
 */
export async function followJournal(
  { journal, path, disk, readOnly }: OpenedFolder,
  clock: Clock,
  log: Logger,
): Promise<void> {
  const behindMs = Math.ceil(lastTimeOf(journal) - clock.now());
  if (behindMs <= correctedMaxMs) return;
  if (!(clock instanceof MovableClock)) {
    log.warn({ behindMs }, 'the last event is later than the time of this machine');
    return;
  }
  // Before the move: a start that ends between the two finds the folder in its time.
  if (!readOnly) await keepAhead(disk, path, clock.aheadMs + behindMs);
  clock.forward(behindMs);
  log.warn({ behindMs }, 'the folder does not say how far its time was moved; its last event does');
}
