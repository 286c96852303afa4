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

/** What a script needs before it runs: what it imports, and what those import. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(folder, 'assets', name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    withImports(imported, found);
  }
  return found;
}

const page = readFileSync(join(folder, 'index.html'), 'utf8');
const [, entry = ''] = /<script[^>]*src="\/console\/assets\/([^"]+)"/.exec(page) ?? [];
const pages = scripts.filter((name) => /-page-/.test(name));

it('the whole console is 350 KiB of compressed script at most', () => {
  expect(sum(scripts)).toBeLessThan(wholeMax);
});

it.each(pages)('the first load of %s is 150 KiB of compressed script at most', (name) => {
  expect(entry).not.toBe('');
  expect(sum(withImports(name, withImports(entry)))).toBeLessThan(firstLoadMax);
});

it('there are as many pages as routes that load one', () => {
  const router = readFileSync(join(folder, '../../src/console/web/router.tsx'), 'utf8');
  expect(pages).toHaveLength([...router.matchAll(/import\('/g)].length);
});

it('the page holds no script of its own, and names no other host', () => {
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|https?:\/\//);
});
