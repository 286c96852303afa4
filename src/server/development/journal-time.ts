/**
 * Handles a journal that ends later than the clock shows: `clock.json` is lost, or the time was set
 * back.
 */
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { keepAhead } from './kept-clock.js';
import { MovableClock } from './movable-clock.js';

/** Ordinary corrections of a machine's clock are smaller, and the journal bridges them (ADR 38). */
const correctedMaxMs = 60_000;

/** A folder that was just opened. */
export interface OpenedFolder {
  readonly journal: Pick<PartitionLog, 'segments'>;
  readonly path: string;
  readonly disk: Disk;
  /** The folder is only read: nothing is written to it. */
  readonly readOnly: boolean;
}

/** When the journal was last appended to, in Unix ms; 0 if it is empty. */
export function lastTimeOf({ segments }: OpenedFolder['journal']): number {
  return Math.max(0, ...segments.map(({ latestTime }) => latestTime));
}

/**
 * Moves a movable clock to the time of the last event, and saves that in the folder. Any other
 * clock is not changed. Logs a warning in both cases. Rejects if the folder cannot be written.
 */
export async function followJournal(
  { journal, path, disk, readOnly }: OpenedFolder,
  clock: Clock,
  log: Logger,
): Promise<void> {
  const behindMs = Math.ceil(lastTimeOf(journal) - clock.now());
  if (behindMs <= correctedMaxMs) return;
  if (!(clock instanceof MovableClock)) {
    log.warn({ behindMs }, 'the last event is later than the clock of this machine');
    return;
  }
  // Save before the move: if the start ends between the two, the next one has the folder's time.
  if (!readOnly) await keepAhead(disk, path, clock.aheadMs + behindMs);
  clock.forward(behindMs);
  log.warn(
    { behindMs },
    'the folder does not record how far its clock was moved; the last event shows it',
  );
}
