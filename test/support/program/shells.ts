/** Shells other than the one that every machine has, and `script`, which gives a terminal. */
import { spawnSync } from 'node:child_process';

/** A test that is skipped, and says why, where there is no such shell. */
export function itWithShell(
  shell: string,
  name: string,
  run: () => Promise<void>,
  limitMs?: number,
): void {
  if (spawnSync(shell, ['--version']).status === 0) it(name, run, limitMs);
  else it.skip(`${name} (${shell} is not installed)`, run);
}
