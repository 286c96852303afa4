/** What of the peers is installed on this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Presence } from '../peer.js';
import { peersFolder } from './program.js';

/** The line that installs what comes from npm. */
export const installPackages = 'npm ci --prefix bench/peers';

/** The newer Node.js that comes with the peers' packages; null where they are not installed. */
export const newerNode = executable('node');

/** A program of the peers' packages; null where it is not installed. */
export function executable(name: string): string | null {
  const file = join(peersFolder, 'node_modules/.bin', name);
  return existsSync(file) ? file : null;
}

/** The version of one of the peers' packages; null where it is not installed. */
export function packageVersion(name: string): string | null {
  const file = join(peersFolder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** The first version number that a program prints when it is asked; null where it is not there. */
export function programVersion(command: string): string | null {
  try {
    const printed = execFileSync(command, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    return /\d+(\.\d+)+/.exec(printed.toString())?.[0] ?? null;
  } catch {
    return null;
  }
}

/** All parts with their versions; where one is missing, the lines that install what is missing. */
export function presence(
  parts: readonly { readonly name: string; readonly version: string | null; readonly by: string }[],
): Presence {
  const missing = new Set(parts.filter(({ version }) => version === null).map(({ by }) => by));
  if (missing.size > 0) return { install: [...missing].join(' && ') };
  return { versions: parts.map(({ name, version }) => `${name} ${version}`).join(', ') };
}
