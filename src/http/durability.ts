/** How durable an acknowledgement is, in the header `Stepwell-Durability` (messaging.md 1.1). */
import type { FsyncMode } from '../../storage/disk/fsync-mode.js';

/**
 * `fsync`: the change is on disk; `os`: the operating system has it and writes it at some time;
 * `replicated`: it is in the log that the nodes of a cluster share, and on the disk of this node.
 */
export type Durability = 'fsync' | 'os' | 'replicated';

/** The settings that decide it. */
export interface DurabilitySettings {
  readonly fsync: FsyncMode;
  /** Where the nodes of a cluster commit; null or absent = no cluster. */
  readonly commitLog?: readonly string[] | null;
}

/** The durability of an fsync mode: only the strict one waits for the disk. */
export function durabilityOf({ fsync, commitLog = null }: DurabilitySettings): Durability {
  if (commitLog !== null) return 'replicated';
  return fsync === 'strict' ? 'fsync' : 'os';
}
