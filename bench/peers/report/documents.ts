/** What `--write` writes: the table of `bench/README.md`, and `bench/results.md`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from '../../measure/table.js';
import { peersFolder } from '../processes/program.js';
import type { PeersFound } from './found.js';
import { overview } from './overview.js';
import { entryTable, waitingTable, workTable } from './raw.js';

const begin = '<!-- peers: written by `npm run bench -- --peers --write` -->';
const end = '<!-- /peers -->';

/** Where and how it was measured: some lines of text. */
export interface Heading {
  readonly machine: string;
  readonly how: string;
}

/** Everything, as it is printed and kept. */
export function rawDocument({ machine, how }: Heading, found: PeersFound): string {
  const contests = found.contests.length === 0 ? [] : ['## Contests', table(found.contests)];
  return `${[
    '# Results of `npm run bench -- --peers`',
    'Written by the command with `--write`; how it is measured is in [README.md](README.md).',
    machine,
    how,
    '## What was measured',
    entryTable(found.entries),
    '## Works',
    workTable(found),
    '## Memory and starts',
    waitingTable(found),
    ...contests,
  ].join('\n\n')}\n`;
}

/** The table of the README with what it was measured on. */
export function overviewText({ machine, how }: Heading, found: PeersFound): string {
  return [machine, how, overview(found)].join('\n\n');
}

/** Throws an error where the README has no place for the table. */
export async function writeDocuments(heading: Heading, found: PeersFound): Promise<void> {
  const folder = join(peersFolder, '..');
  const readme = join(folder, 'README.md');
  const text = await readFile(readme, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${readme} has no place for the table`);
  const before = text.slice(0, from + begin.length);
  await writeFile(readme, `${before}\n\n${overviewText(heading, found)}\n\n${text.slice(to)}`);
  await writeFile(join(folder, 'results.md'), rawDocument(heading, found));
}
