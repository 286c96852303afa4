/**
 * Writes the pages that are made from the sources (`npm run docs:made`). With `--check` it writes
 * nothing, and exits with 1 where a page is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertsPage } from './alerts.mjs';
import { errorsPage } from './errors.mjs';

const root = join(import.meta.dirname, '..', '..');
const isCheck = process.argv.includes('--check');

const pages = [
  ['docs/errors.md', errorsPage],
  ['docs/alerts.md', alertsPage],
];

for (const [path, pageOf] of pages) {
  const page = pageOf(root);
  if (!isCheck) writeFileSync(join(root, path), page);
  else if (readFileSync(join(root, path), 'utf8') !== page) {
    process.stdout.write(`${path} is out of date: npm run docs:made\n`);
    process.exitCode = 1;
  }
}
