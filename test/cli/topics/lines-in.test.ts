import { linesIn } from '../../../src/cli/topics/lines-in.js';

async function* chunksOf(...texts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function all(...texts: readonly (string | Buffer)[]) {
  const parts = [];
  for await (const part of linesIn(chunksOf(...texts))) parts.push(part);
  return parts.filter(({ values }) => values.length > 0);
}

describe('lines', () => {
  it('are the same wherever chunks end, even within a character of several bytes', async () => {
    const bytes = Buffer.from('a\n\nµ€😀\nd');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const parts = await all(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(parts.flatMap(({ values }) => values.map(String))).toEqual(['a', 'µ€😀', 'd']);
      expect(parts.at(-1)?.last).toBe(4);
    }
  });

  it('arrive as soon as they end, 500 at a time', async () => {
    const given = await all('x\n'.repeat(1200), 'y', 'z\n');
    expect(given.map(({ first, last }) => [first, last])).toEqual([
      [1, 500],
      [501, 1000],
      [1001, 1200],
      [1201, 1201],
    ]);
    expect(given.at(-1)?.values.map(String)).toEqual(['yz']);
  });

  it('keep bytes that are not text', async () => {
    const [part] = await all(Buffer.from([0xff, 0x0a, 0xc3, 0x28]));
    const [, last] = await all(Buffer.from([0xff, 0x0a, 0xc3, 0x28]));
    expect(part?.values).toEqual([Buffer.from([0xff])]);
    expect(last?.values).toEqual([Buffer.from([0xc3, 0x28])]);
  });

  it('are refused if one is too long', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    await expect(all('a\n', ...new Array(17).fill(mebibyte))).rejects.toThrow('line 2 has more');
  });
});
