/** `bench/figures.md`: a section for each scenario, with what was seen of it last. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from './measure/contest.js';
import { type Found, figureTable, table } from './measure/table.js';

/** From the compiled program to the folder of its source. */
const file = join(import.meta.dirname, '../../bench/figures.md');

const introduction = `# The last figures of the bench

Written by \`npm run bench -- --write\`, which replaces the sections of the scenarios that it has
run; [cases.md](cases.md) says what each of them does.
`;

const sectionBegin = /^## (.+)$/m;

/**
 * Replaces the sections of the scenarios that were run. `heading` says where, when and how they
 * were; `scenarios` are all that there are, in the order of the file.
 */
export async function writeFigures(
  scenarios: readonly string[],
  heading: string,
  results: readonly Result[],
  found: readonly Found[],
): Promise<void> {
  const sections = sectionsIn(await readFile(file, 'utf8'));
  for (const scenario of scenarios) {
    const raced = results.filter(({ case: subject }) => subject.scenario === scenario);
    const measured = found.filter(({ measurement }) => measurement.scenario === scenario);
    if (raced.length + measured.length === 0) continue;
    const parts = [heading];
    if (raced.length > 0) parts.push(table(raced));
    if (measured.length > 0) parts.push(figureTable(measured));
    sections.set(scenario, parts.join('\n\n'));
  }
  const known = scenarios.filter((scenario) => sections.has(scenario));
  const texts = known.map((scenario) => `\n## ${scenario}\n\n${sections.get(scenario)}\n`);
  await writeFile(file, `${introduction}${texts.join('')}`);
}

/** By scenario, the text below its heading. */
function sectionsIn(text: string): Map<string, string> {
  const [, ...parts] = text.split(sectionBegin);
  const sections = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    sections.set(parts[index] ?? '', (parts[index + 1] ?? '').trim());
  }
  return sections;
}
