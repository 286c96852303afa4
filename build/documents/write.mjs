/**
 * Writes the pages that are generated from the sources, and the Helm chart's copies of the rules
 * and the dashboard, as a chart cannot read files outside of its folder (`npm run docs:made`). With
 * `--check`, it writes nothing, and exits with 1 if a page differs from what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertsPage } from './alerts.mjs';
import { errorsPage } from './errors.mjs';

const root = join(import.meta.dirname, '..', '..');
const isCheck = process.argv.includes('--check');

const chart = 'deploy/helm/stepwell/files';
const copyOf = (path) => () => readFileSync(join(root, path), 'utf8');

const pages = [
  ['docs/errors.md', errorsPage],
  ['docs/alerts.md', alertsPage],
  [`${chart}/alerts.yaml`, copyOf('deploy/prometheus/alerts.yaml')],
  [`${chart}/board.json`, copyOf('deploy/grafana/stepwell.json')],
];

for (const [path, pageOf] of pages) {
  const page = pageOf(root);
  if (!isCheck) writeFileSync(join(root, path), page);
  else if (readFileSync(join(root, path), 'utf8') !== page) {
    process.stdout.write(`${path} is out of date: npm run docs:made\n`);
    process.exitCode = 1;
  }
}
