import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../dist/console');
const assets = readdirSync(join(folder, 'assets'));
const scripts = assets.filter((name) => name.endsWith('.js'));
const packed = (name: string) => statSync(join(folder, 'assets', `${name}.gz`)).size;
const sum = (names: Iterable<string>) =>
  [...names].reduce((bytes, name) => bytes + packed(name), 0);

const kibibyte = 1024;
const firstLoadMax = 150 * kibibyte;
const wholeMax = 350 * kibibyte;

/** The scripts that must be loaded before a script runs: its imports, and theirs. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(folder, 'assets', name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    withImports(imported, found);
  }
  return found;
}

const pageNamed = (name: string) => readFileSync(join(folder, name), 'utf8');
const entryOf = (page: string) =>
  /<script[^>]*src="\/console\/assets\/([^"]+)"/.exec(page)?.[1] ?? '';
const entry = entryOf(pageNamed('index.html'));
const pages = scripts.filter((name) => /-page-/.test(name));

it('the whole console has at most 350 KiB of compressed script', () => {
  expect(sum(scripts)).toBeLessThan(wholeMax);
});

it.each(pages)('the first load of %s has at most 150 KiB of compressed script', (name) => {
  expect(entry).not.toBe('');
  expect(sum(withImports(name, withImports(entry)))).toBeLessThan(firstLoadMax);
});

it('the API reference shares only common code with the console', () => {
  const loaded = withImports(entryOf(pageNamed('docs.html')));
  expect(loaded.size).toBeGreaterThan(1);
  expect([...loaded].filter((name) => pages.includes(name) || name === entry)).toEqual([]);
  expect(sum(loaded)).toBeLessThan(firstLoadMax);
});

it('there are as many page scripts as routes that load one', () => {
  const router = readFileSync(join(folder, '../../src/console/web/router.tsx'), 'utf8');
  expect(pages).toHaveLength([...router.matchAll(/import\('/g)].length);
});

it.each(['index.html', 'docs.html'])('%s has no inline script and names no other host', (name) => {
  expect(pageNamed(name)).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|https?:\/\//);
});
