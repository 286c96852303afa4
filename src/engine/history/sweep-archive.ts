/** Where segments of the journal are copied before a sweep takes events out of them (ADR 42). */
import type { ArchiveOptions } from '../journal.js';
import type { JournalSweeps } from './journal-sweeps.js';

/**
 * A sweep asks for `options` when it begins, and awaits `archived` before it records that it
 * removes anything. In a cluster `KeptArchive` remembers what each node has copied.
 */
export interface SweepArchive {
  /** What is still to be copied when a sweep begins. */
  options(): ArchiveOptions;
  /** Everything below `edge` is there. */
  archived(edge: number): Promise<void>;
}

/** Of a server whose sweeps are all its own: what lies below the last one was copied by it. */
export function archiveOf(folder: string, sweeps: Pick<JournalSweeps, 'edge'>): SweepArchive {
  return {
    options: () => ({ folder, from: sweeps.edge }),
    archived: async () => undefined,
  };
}
