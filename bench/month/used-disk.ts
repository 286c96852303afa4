/** What a data folder takes of the disk, by what its files are for. */
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Bytes. */
export interface UsedDisk {
  /** Segments of the journal, of topics, and indexes of both. */
  readonly journal: number;
  readonly topics: number;
  readonly indexes: number;
  /** Digests of what was sealed, and of what went: they prove what is left. */
  readonly proofs: number;
  readonly snapshots: number;
  /** The manifest, of two copies with 1 MiB of edits each at most, and the like. */
  readonly rest: number;
}

/** `journalId` is the number of the journal's log. Files that go meanwhile do not count. */
export async function usedDisk(directory: string, journalId: number): Promise<UsedDisk> {
  const used = { journal: 0, topics: 0, indexes: 0, proofs: 0, snapshots: 0, rest: 0 };
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    used[partOf(relative(directory, path), journalId)] += size;
  }
  return used;
}

function partOf(path: string, journalId: number): keyof UsedDisk {
  const [folder, log, file = ''] = path.split(sep);
  if (folder === 'snapshots') return 'snapshots';
  if (file.endsWith('.index')) return 'indexes';
  if (file === 'CHAIN' || file.endsWith('.pruned')) return 'proofs';
  if (folder !== 'logs' || !file.endsWith('.log')) return 'rest';
  return Number(log) === journalId ? 'journal' : 'topics';
}

export function totalOf(used: UsedDisk): number {
  return Object.values(used).reduce((sum, bytes) => sum + bytes, 0);
}
