import { type LinesMax, linesUpTo } from '../../../src/console/web/dead-letters/lines.ts';

/** Reads five pages of two rows, `{"a":1}` to `{"a":10}`. */
async function read(max: LinesMax) {
  const pages: number[] = [];
  const load = async (cursor = '1') => {
    const first = Number(cursor);
    const rows = [first, first + 1].map((a) => ({ whole: { a } }));
    const damaged = first === 7 ? [{ error: 'damaged data' }] : undefined;
    return { rows, cursor: first < 9 ? String(first + 2) : undefined, damaged };
  };
  const { lines, ...others } = await linesUpTo(max, load, (count) => pages.push(count));
  return { last: lines.at(-1), lines: lines.length, pages, ...others };
}

/** Of a line: `{"a":1}` and what ends it. */
const length = 8;

it('a shorter list is read to its end, and that some of it is damaged is said', async () => {
  expect(await read({ lines: 11, characters: 20 * length })).toEqual({
    last: '{"a":10}\n',
    lines: 10,
    isCut: false,
    isDamaged: true,
    pages: [2, 4, 6, 8, 10],
  });
});

it.each([
  ['lines', { lines: 4, characters: 20 * length }],
  ['characters', { lines: 11, characters: 4 * length }],
])('no page is read behind the most %s, and that there is more is said', async (_, max) => {
  const expected = { last: '{"a":4}\n', lines: 4, isCut: true, isDamaged: false, pages: [2, 4] };
  expect(await read(max)).toEqual(expected);
});

it('a list that ends at a bound is whole', async () => {
  expect(await read({ lines: 10, characters: 20 * length })).toMatchObject({ isCut: false });
});
