/**
 * Folders and processes that a file of tests leaves when it ends, or when it fails halfway: they
 * are removed and killed then. A process that lives on would keep the output of the whole run open.
 */
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';

const folders: string[] = [];
const processes: ChildProcess[] = [];

/** Remembers a folder that its test does not remove itself. */
export function leave(folder: string): void {
  folders.push(folder);
}

/** Remembers a process, which its test may end itself; gives it back. */
export function killedAtLast<Child extends ChildProcess>(child: Child): Child {
  processes.push(child);
  return child;
}

/** For `test/setup.ts`: a hook of a module would run for the first file of a process alone. */
export async function removeLeftovers(): Promise<void> {
  for (const child of processes.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
