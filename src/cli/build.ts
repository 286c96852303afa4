/** Identifies this build of the program: two builds of one version may keep different state. */
import { fileURLToPath } from 'node:url';
import type { Disk } from '../../storage/disk/disk.js';
import { readWhole } from '../../storage/disk/whole-file.js';

/** Written by `build/run.mjs`: the digest of all sources. */
const stamp = new URL('../build.json', import.meta.url);

/** The digest of this build; null if the sources run directly. */
export async function readBuild(disk: Disk): Promise<string | null> {
  try {
    const { digest } = JSON.parse((await readWhole(disk, fileURLToPath(stamp))).toString());
    return typeof digest === 'string' ? digest : null;
  } catch {
    return null;
  }
}
