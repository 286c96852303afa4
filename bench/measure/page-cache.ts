/** Files that are read from the disk again, although they have just been written or read. */
import { execFile, execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Node cannot advise the kernel; GNU `dd` can: it reads nothing and lets go of the whole file. */
const letGoOf = (path: string) => [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none'];

/** Why the page cache cannot be emptied here; null = it can. */
export function whyAlwaysCached(): string | null {
  try {
    execFileSync('dd', letGoOf(import.meta.filename), { stdio: 'ignore' });
    return null;
  } catch {
    return 'only GNU dd can take files out of the page cache';
  }
}

/** Takes all files of a folder out of the page cache; what is not on disk yet stays in it. */
export async function letGoOfFolder(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) await run('dd', letGoOf(join(parentPath, name)));
}
