import { type LinesMax, linesUpTo } from '../../../src/console/web/dead-letters/lines.ts';

/** Reads five pages of two rows, `{"a":1}` to `{"a":10}`. */
async function read(max: LinesMax) {
  const pages: number[] = [];
  const load = async (cursor = '1') => {
    const first = Number(cursor);
    const rows = [first, first + 1].map((a) => ({ whole: { a } }));
    return { rows, cursor: first < 9 ? String(first + 2) : undefined };
  };
  const { lines, isCut } = await linesUpTo(max, load, (count) => pages.push(count));
  return { last: lines.at(-1), lines: lines.length, isCut, pages };
}

/** Of a line: `{"a":1}` and what ends it. */
const length = 8;

it('a list that is shorter than the bounds is read to its end', async () => {
  expect(await read({ lines: 11, characters: 20 * length })).toEqual({
    last: '{"a":10}\n',
    lines: 10,
    isCut: false,
    pages: [2, 4, 6, 8, 10],
  });
});

it.each([
  ['lines', { lines: 4, characters: 20 * length }],
  ['characters', { lines: 11, characters: 4 * length }],
])('no page is read behind the most %s, and that there is more is said', async (_, max) => {
  expect(await read(max)).toEqual({ last: '{"a":4}\n', lines: 4, isCut: true, pages: [2, 4] });
});

it('a list that ends at a bound is whole', async () => {
  expect(await read({ lines: 10, characters: 20 * length })).toMatchObject({ isCut: false });
});
