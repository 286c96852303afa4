import { documentTree, sourceTree } from '../tidy/source-tree.js';

it('docs/cluster.md names messages as nodes write them', () => {
  const page = documentTree().find(({ path }) => path === 'docs/cluster.md');
  const [, table = ''] = page?.text.split('## When something is wrong') ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
  const named = rows.flatMap((row) => [...row.matchAll(/`([a-z]+ [^`]*?)(?:: \.\.\.|\.\.\.)?`/g)]);
  const messages = named.map(([, message = '']) => message);
  expect(messages.length).toBeGreaterThan(10);
  const sources = sourceTree().filter(({ path }) => /^(src|storage)\//.test(path));
  const written = sources.map(({ text }) => text.replace(/' \+\n\s*'/g, ''));
  // What stands for a number or a name is no part of a message.
  const parts = (message: string) => message.split(' ... ');
  const isWritten = (part: string) => written.some((text) => text.includes(part));
  expect(messages.filter((message) => !parts(message).every(isWritten))).toEqual([]);
});
