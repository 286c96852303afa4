/**
 * Builds the documentation site into `dist/site` (`npm run docs:site`). `-- --base /docs/` is for a
 * site that is not at the root of its host; the base begins and ends with a slash. Exits with 1 if
 * a link is dead, or a page refers to another host.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fullOf, indexOf } from './for-models.mjs';
import { gathered } from './gather.mjs';

const root = join(import.meta.dirname, '..', '..');
const site = join(root, 'docs', 'site');
const pagesFolder = join(root, 'dist', 'site-pages');
const output = join(root, 'dist', 'site');

try {
  build();
} catch (error) {
  process.stderr.write(`docs:site: ${error.message}\n`);
  process.exitCode = 1;
}

function build() {
  const { base } = parseArgs({ options: { base: { type: 'string', default: '/' } } }).values;
  if (!/^\/(?:[^/]+\/)*$/.test(base)) throw new Error(`--base ${base}: it is like /docs/`);
  const { sections, pages, files } = gathered(root);
  rmSync(pagesFolder, { recursive: true, force: true });
  rmSync(output, { recursive: true, force: true });
  for (const { place, text } of pages) write(join(pagesFolder, place), text);
  write(join(pagesFolder, 'index.md'), readFileSync(join(site, 'first-page.md'), 'utf8'));
  const plain = join(pagesFolder, 'public');
  const icon = join(root, 'src', 'console', 'web', 'public', 'icon.svg');
  cpSync(icon, join(plain, 'icon.svg'), { recursive: true });
  for (const theme of ['light', 'dark'])
    files.set(`docs/console/run-${theme}.png`, `/console/run-${theme}.png`);
  for (const [path, address] of files)
    cpSync(join(root, path), join(plain, address), { recursive: true });
  for (const { place, text } of pages) write(join(plain, place), text);
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  write(join(plain, 'llms.txt'), indexOf(sections, description, base));
  write(join(plain, 'llms-full.txt'), fullOf(sections));
  write(join(pagesFolder, 'site.json'), JSON.stringify({ base, sidebar: sideBarOf(sections) }));
  install();
  // Pages are compiled to modules that import Vue, resolved from their folder.
  symlinkSync(join(site, 'node_modules'), join(pagesFolder, 'node_modules'));
  run('npx', ['--no-install', 'vitepress', 'build', '.']);
  refuseForeignHosts();
}

function sideBarOf(sections) {
  return sections.map(({ text, collapsed = false, pages }) => ({
    text,
    collapsed,
    items: pages.map(({ title, place }) => ({ text: title, link: `/${place.slice(0, -3)}` })),
  }));
}

/** VitePress is only a package of the site, so that installing Stepwell does not include it. */
function install() {
  const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
  const stamp = join(site, 'node_modules', '.installed');
  try {
    if (readFileSync(stamp, 'utf8') === lock) return;
  } catch {
    // Not installed yet.
  }
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error']);
  writeFileSync(stamp, lock);
}

/** The site must work without any other host: fonts, scripts and pictures are its own. */
function refuseForeignHosts() {
  const asks = /<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*"/g;
  const names = readdirSync(output, { recursive: true }).filter((name) => name.endsWith('.html'));
  const foreign = names.flatMap((name) =>
    [...readFileSync(join(output, name), 'utf8').matchAll(asks)].map(([tag]) => `${name}: ${tag}`),
  );
  if (foreign.length > 0) throw new Error(`other hosts are asked:\n${foreign.join('\n')}`);
  process.stdout.write(`docs:site: ${names.length} pages in dist/site\n`);
}

function run(command, words) {
  const { status } = spawnSync(command, words, {
    cwd: site,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}`);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
