/** Finds the letters that a request applies to: by id, or page by page by filters. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { failureOffsetOf } from '../messages/dead-letter-id.js';
import { formatLetterCursor, type LetterCursor } from './letter-filters.js';
import type { LetterIndex, PlacedLetter } from './letter-index.js';

/** How many letters are examined before others get their turn: together they take milliseconds. */
export const lettersPerTick = 512;
/** A page ends after this time, where its search is: filters may have to read every letter. */
const searchMs = 1000;

/** A page of the letters that a request applies to. */
export interface LetterPage<Letter> {
  readonly letters: readonly Letter[];
  /** Where the next page begins; null = this is the last one. */
  readonly cursor: string | null;
  /** The search stopped at a letter of this time (Unix milliseconds) because it took too long. */
  readonly searchedTo?: number;
}

/** The fields of every request about letters that limit how many it covers. */
export interface LettersQuery {
  readonly dlqIds: readonly string[] | null;
  readonly count: number;
  readonly cursor: LetterCursor | null;
}

/** How many letters were deleted, with a cursor if more match. */
export interface DeletedLetters {
  readonly deleted: number;
  readonly cursor?: string;
}

/** Searches the letters of messages and of runs. Long walks yield to the event loop. */
export class LetterSearch<Letter extends PlacedLetter, Query extends LettersQuery> {
  /** `matches` checks a letter against the query, except its ids and page. */
  constructor(
    private readonly engine: Pick<Engine, 'shown'>,
    private readonly letters: Pick<LetterIndex<Letter>, 'find' | 'all'>,
    private readonly clock: Clock,
    private readonly matches: (letter: Letter, query: Query) => boolean | Promise<boolean>,
  ) {}

  /** The letter with this id, once it may be shown. */
  find(id: string): Promise<Letter | undefined> {
    return this.engine.shown(() => this.letters.find(id, this.clock.now()));
  }

  /**
   * The letters for one bulk action: the named ones in order, at most `namedMax` of them, or a
   * page, oldest first. All pages cover only letters that existed at the first page: a letter that
   * is retried and fails again must not be met a second time, or the walk would never end.
   */
  async bulk(
    query: Query,
    namedMax: number = Number.POSITIVE_INFINITY,
  ): Promise<LetterPage<Letter>> {
    if (query.dlqIds === null) {
      const newest =
        query.cursor?.until ?? this.letters.all(this.clock.now()).at(-1)?.offset ?? null;
      const isSelected = (letter: Letter) => this.matches(letter, query);
      return this.page(query, 'earliestFirst', newest, isSelected);
    }
    const ids = namedBehind(query.dlqIds, query.cursor);
    const named = await this.engine.shown(() => this.named(ids));
    const letters = named.slice(0, namedMax);
    const last = named.length > namedMax ? letters.at(-1) : undefined;
    return { letters, cursor: last === undefined ? null : cursorAfter(last, null) };
  }

  /** Deletes the letters of one bulk action with `deleteAll`. */
  async deleteBulk(
    query: Query,
    deleteAll: (ids: readonly string[]) => Promise<number>,
  ): Promise<DeletedLetters> {
    const { letters, cursor } = await this.bulk(query);
    const deleted = await deleteAll(letters.map(({ id }) => id));
    return { deleted, ...(cursor !== null && { cursor }) };
  }

  /** The existing letters with these ids, in the same order. */
  named(ids: readonly string[]): Letter[] {
    const now = this.clock.now();
    return [...new Set(ids)].flatMap((id) => this.letters.find(id, now) ?? []);
  }

  /**
   * At most `count` letters after the cursor; fewer if finding them takes too long. A letter that
   * cannot be checked, because the disk has damaged it, is noted and left out.
   */
  listed(
    query: Query,
    order: 'latestFirst' | 'earliestFirst',
    damage: DamageNotes,
  ): Promise<LetterPage<Letter>> {
    return this.page(query, order, null, async (letter) => {
      try {
        return await this.matches(letter, query);
      } catch (error) {
        damage.note(error);
        return false;
      }
    });
  }

  /** One page after the cursor; the walk that it begins ends at `until`. */
  private async page(
    query: Query,
    order: 'latestFirst' | 'earliestFirst',
    until: number | null,
    isSelected: (letter: Letter) => boolean | Promise<boolean>,
  ): Promise<LetterPage<Letter>> {
    const { count } = query;
    const letters = await this.engine.shown(() => this.afterCursor(query, order));
    const begun = this.clock.monotonic();
    const page: Letter[] = [];
    for (const [index, letter] of letters.entries()) {
      if (index % lettersPerTick === lettersPerTick - 1) await nextTick();
      if (await isSelected(letter)) {
        const last = page.at(-1);
        if (last !== undefined && page.length === count) {
          return { letters: page, cursor: cursorAfter(last, until) };
        }
        page.push(letter);
      }
      const isLast = index === letters.length - 1;
      if (isLast || this.clock.monotonic() - begun < searchMs) continue;
      return { letters: page, cursor: cursorAfter(letter, until), searchedTo: letter.at };
    }
    return { letters: page, cursor: null };
  }

  private afterCursor(
    { dlqIds, cursor }: Query,
    order: 'latestFirst' | 'earliestFirst',
  ): readonly Letter[] {
    const letters =
      dlqIds === null
        ? this.letters.all(this.clock.now())
        : this.named(dlqIds).sort((one, other) => one.offset - other.offset);
    if (order === 'latestFirst') letters.reverse();
    if (cursor === null) return letters;
    const { until } = cursor;
    return letters.filter(({ offset }) => {
      const isBehind = order === 'latestFirst' ? offset < cursor.offset : offset > cursor.offset;
      return isBehind && (until === null || offset <= until);
    });
  }
}

/** The cursor after a page that ends with this letter. */
export function cursorAfter({ offset }: PlacedLetter, until: number | null): string {
  return formatLetterCursor({ offset, until });
}

/** The ids after the one with which the previous page ended. */
function namedBehind(ids: readonly string[], cursor: LetterCursor | null): readonly string[] {
  if (cursor === null) return ids;
  return ids.slice(ids.findIndex((id) => failureOffsetOf(id) === cursor.offset) + 1);
}
