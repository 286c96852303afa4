/** Prometheus' own judge of metrics and rules, where it is installed (Debian: `prometheus`). */
import { spawnSync } from 'node:child_process';

const exists = spawnSync('promtool', ['--version']).status === 0;

/** A test that is skipped, and says why, where there is no promtool. */
export function itWithPromtool(name: string, run: () => Promise<void>): void {
  if (exists) it(name, run);
  else it.skip(`${name} (promtool is not installed)`, run);
}

/** What it complains of; '' = nothing. */
export function promtool(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
