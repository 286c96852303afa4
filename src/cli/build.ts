/** Which build of the program this is: two builds of one version may remember otherwise. */
import { fileURLToPath } from 'node:url';
import type { Disk } from '../../storage/disk/disk.js';
import { readWhole } from '../../storage/disk/whole-file.js';

/** What `build/run.mjs` writes: the digest of all sources. */
const stamp = new URL('../build.json', import.meta.url);

/** null where the sources run as they are. */
export async function readBuild(disk: Disk): Promise<string | null> {
  try {
    const { digest } = JSON.parse((await readWhole(disk, fileURLToPath(stamp))).toString());
    return typeof digest === 'string' ? digest : null;
  } catch {
    return null;
  }
}
