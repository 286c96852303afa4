/** The site of the documents without its generator: pages, links, texts for models. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fullOf, indexOf } from '../../build/site/for-models.mjs';
import { gathered } from '../../build/site/gather.mjs';
import { relinked, slugsOf } from '../../build/site/links.mjs';
import { documentTree } from '../tidy/source-tree.js';

const root = join(import.meta.dirname, '../..');
const { sections, pages, files } = gathered(root);

it('has each document of the repository once', () => {
  const documents = documentTree()
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('docs/site/'));
  expect(pages.map(({ path }) => path).sort()).toEqual(documents.sort());
  expect(new Set(pages.map(({ place }) => place)).size).toBe(pages.length);
});

it('links from its first page to pages that are there', () => {
  const first = readFileSync(join(root, 'docs/site/first-page.md'), 'utf8');
  const links = [...first.matchAll(/^\s+link: \/(\S+)$/gm)].map(([, name]) => `${name}.md`);
  expect(links).toHaveLength(9);
  const places = pages.map(({ place }) => place);
  expect(links.filter((place) => !places.includes(place))).toEqual([]);
});

it('copies what documents link to beside documents', () => {
  expect(files.get('deploy/Dockerfile')).toBe('/files/deploy/Dockerfile.txt');
  expect(files.get('docs/console/run-light.png')).toBe('/console/run-light.png');
});

describe('a link of a document', () => {
  const places = new Map([
    ['README.md', 'overview.md'],
    ['deploy/README.md', 'deploy/index.md'],
    ['docs/topics.md', 'topics.md'],
    ['docs/recipes/messages.md', 'recipes/messages.md'],
    ['docs/recipes/topics.md', 'recipes/topics.md'],
  ]);
  const rewritten = (text: string) =>
    relinked({
      path: 'docs/recipes/topics.md',
      text,
      pageOf: (path) => places.get(path),
      fileOf: (path) => (path === 'deploy/Dockerfile' ? '/files/deploy/Dockerfile.txt' : undefined),
    });

  it.each([
    ['[x](../topics.md#damage)', '[x](../topics.md#damage)'],
    ['[x](messages.md)', '[x](./messages.md)'],
    ['[x](../../README.md)', '[x](../overview.md)'],
    ['[x](../../deploy)', '[x](../deploy/index.md)'],
    ['[x](../../deploy/Dockerfile)', '[x](/files/deploy/Dockerfile.txt)'],
    ['[x](#here)', '[x](#here)'],
    ['[x](https://example.com/a.md)', '[x](https://example.com/a.md)'],
    [
      '```\n[x](../gone.md)\n```\n[`x`](messages.md)',
      '```\n[x](../gone.md)\n```\n[`x`](./messages.md)',
    ],
  ])('%j becomes %j', (text, expected) => {
    expect(rewritten(text)).toMatchObject({ text: expected, dead: [] });
  });

  it('that leads nowhere is named', () => {
    expect(rewritten('[x](../gone.md) [y](../../deploy/gone)').dead).toEqual([
      '../gone.md',
      '../../deploy/gone',
    ]);
  });
});

it('addresses headings as they are linked', () => {
  const text = '# A `b` c\n## 1.2 Über: "x_y"\n```\n# no heading\n```\n## A b c\n';
  expect(slugsOf(text)).toEqual(['a-b-c', '12-über-x_y', 'a-b-c-1']);
});

it('names each page to models, and has the text of all but decisions in one file', () => {
  const index = indexOf(sections, 'What it is.');
  expect(index).toMatch(/^# Stepwell\n\n> What it is\.\n/);
  expect(index.match(/^- \[/gm)).toHaveLength(pages.length);
  expect(indexOf(sections, 'What it is.', '/docs/')).toContain('](/docs/start.md)');
  const full = fullOf(sections);
  expect(full).toContain('<!-- /recipes/topics.md -->');
  expect(full).not.toContain('<!-- /adr/0001');
});
