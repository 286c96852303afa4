import { DamageNotes } from '../../../src/engine/reading/damage-notes.js';
import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { letterCursor } from '../../../src/messaging/dead-letters/letter-filters.js';
import {
  LetterIndex,
  type PlacedLetter,
} from '../../../src/messaging/dead-letters/letter-index.js';
import {
  LetterSearch,
  type LettersQuery,
} from '../../../src/messaging/dead-letters/letter-search.js';
import { ManualClock } from '../../support/manual-clock.js';

const clock = new ManualClock();
const begun = clock.now();
const letters = new LetterIndex<PlacedLetter>(1e12);
for (let offset = 0; offset < 2000; offset += 1) {
  letters.add({ id: `${begun}-${offset}s00`, at: begun + offset, offset }, new TurnChanges());
}
const isWanted = (offset: number) => offset % 700 === 699;
const wanted = [699, 1399];

/** What it takes to decide about a letter. */
let lookMs = 2;

const search = new LetterSearch<PlacedLetter, LettersQuery>(
  { shown: async (read) => read() },
  letters,
  clock,
  ({ offset }) => {
    clock.advance(lookMs);
    return isWanted(offset);
  },
);

function queryAt(text: string | null): LettersQuery {
  const cursor = letterCursor(text === null ? [] : [text]);
  if (!cursor.ok) throw new Error(cursor.message);
  return { dlqIds: null, count: 100, cursor: cursor.value };
}

it('a listing ends its page after a second, and its cursor continues there', async () => {
  const found: number[] = [];
  const searched: (number | undefined)[] = [];
  let cursor: string | null = null;
  do {
    const query = queryAt(cursor);
    const page = await search.listed(query, 'latestFirst', new DamageNotes());
    found.push(...page.letters.map(({ offset }) => offset));
    searched.push(page.searchedTo === undefined ? undefined : page.searchedTo - begun);
    cursor = page.cursor;
  } while (cursor !== null);
  expect(found).toEqual(wanted.toReversed());
  expect(searched).toEqual([1500, 1000, 500, undefined]);
});

it('a bulk action meets every letter that was there at its first page, page by page', async () => {
  const found: number[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await search.bulk(queryAt(cursor));
    found.push(...page.letters.map(({ offset }) => offset));
    cursor = page.cursor;
    pages += 1;
    const offset = 2000 + pages * 700 - 1;
    letters.add({ id: `${begun}-${offset}s00`, at: begun, offset }, new TurnChanges());
  } while (cursor !== null);
  expect([found, pages]).toEqual([wanted, 4]);
});

it('a long walk lets others have their turn', async () => {
  lookMs = 0;
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  await search.listed(queryAt(null), 'earliestFirst', new DamageNotes());
  isOver = true;
  expect(turns).toBeGreaterThan(0);
});
