/** Where segments of the journal are copied before a sweep removes events from them (ADR 42). */
import type { ArchiveOptions } from '../journal.js';
import type { JournalSweeps } from './journal-sweeps.js';

/**
 * A sweep asks for `options` when it begins, and awaits `archived` before it records that it
 * removes anything. In a cluster `KeptArchive` remembers what each node has copied.
 */
export interface SweepArchive {
  /** What remains to be copied when a sweep begins. */
  options(): ArchiveOptions;
  /** Everything below `edge` has been copied. */
  archived(edge: number): Promise<void>;
}

/** For a server that makes all sweeps itself: everything below the last one has been copied. */
export function archiveOf(folder: string, sweeps: Pick<JournalSweeps, 'edge'>): SweepArchive {
  return {
    options: () => ({ folder, from: sweeps.edge }),
    archived: async () => undefined,
  };
}
