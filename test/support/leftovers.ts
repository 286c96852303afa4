/** Folders that tests made: they go when the file that asked for them ends. */
import { rm } from 'node:fs/promises';

const folders: string[] = [];

/** Remembers a folder that its test does not remove itself. */
export function leave(folder: string): void {
  folders.push(folder);
}

/** For `test/setup.ts`: a hook of a module would run for the first file of a thread alone. */
export async function removeLeftovers(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
