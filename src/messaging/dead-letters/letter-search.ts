/** Which letters a request is about: by name, or page by page by what they match. */
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { failureOffsetOf } from '../messages/dead-letter-id.js';
import { formatLetterCursor, type LetterCursor } from './letter-filters.js';
import type { LetterIndex, PlacedLetter } from './letter-index.js';

/** Letters looked at per tick. */
const looksPerTick = 4096;

/** Some of the letters that a request is about. */
export interface LetterPage<Letter> {
  readonly letters: readonly Letter[];
  /** Where more follow; null = these are all. */
  readonly cursor: string | null;
}

/** What every request about letters says of how many it means. */
export interface LettersQuery {
  readonly dlqIds: readonly string[] | null;
  readonly count: number;
  readonly cursor: LetterCursor | null;
}

/** How many letters were deleted; with a cursor where more match. */
export interface DeletedLetters {
  readonly deleted: number;
  readonly cursor?: string;
}

/** Searches of messages' and of runs' letters. A page gives the event loop a turn now and then. */
export class LetterSearch<Letter extends PlacedLetter, Query extends LettersQuery> {
  /** `matches` judges a letter by all of the query but ids and pages. */
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
   * What a bulk action is about: the named letters in their order, at most `namedMax` of them, or a
   * page, oldest first. Its pages are about the letters that there were at the first one: what is
   * tried again and fails again must not be met a second time, or the walk would never end.
   */
  async bulk(
    query: Query,
    namedMax: number = Number.POSITIVE_INFINITY,
  ): Promise<LetterPage<Letter>> {
    if (query.dlqIds === null) {
      const newest =
        query.cursor?.until ?? this.letters.all(this.clock.now()).at(-1)?.offset ?? null;
      const isMeant = (letter: Letter) => this.matches(letter, query);
      return this.page(query, 'earliestFirst', newest, isMeant);
    }
    const ids = namedBehind(query.dlqIds, query.cursor);
    const named = await this.engine.shown(() => this.named(ids));
    const letters = named.slice(0, namedMax);
    const last = named.length > namedMax ? letters.at(-1) : undefined;
    return { letters, cursor: last === undefined ? null : cursorBehind(last, null) };
  }

  /** What `deleteAll` has deleted of what a bulk action is about. */
  async deleteBulk(
    query: Query,
    deleteAll: (ids: readonly string[]) => Promise<number>,
  ): Promise<DeletedLetters> {
    const { letters, cursor } = await this.bulk(query);
    const deleted = await deleteAll(letters.map(({ id }) => id));
    return { deleted, ...(cursor !== null && { cursor }) };
  }

  /** Those of the ids that there are, in their order. */
  named(ids: readonly string[]): Letter[] {
    const now = this.clock.now();
    return [...new Set(ids)].flatMap((id) => this.letters.find(id, now) ?? []);
  }

  /**
   * At most `count` letters behind the cursor. What cannot be judged, as the disk has damaged it,
   * is noted and left out.
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

  /** At most `count` letters behind the cursor; the walk that it begins ends at `until`. */
  private async page(
    query: Query,
    order: 'latestFirst' | 'earliestFirst',
    until: number | null,
    isMeant: (letter: Letter) => boolean | Promise<boolean>,
  ): Promise<LetterPage<Letter>> {
    const { count } = query;
    const letters = await this.engine.shown(() => this.behindCursor(query, order));
    const page: Letter[] = [];
    for (const [index, letter] of letters.entries()) {
      if (index % looksPerTick === looksPerTick - 1) await nextTick();
      if (!(await isMeant(letter))) continue;
      const last = page.at(-1);
      if (last !== undefined && page.length === count) {
        return { letters: page, cursor: cursorBehind(last, until) };
      }
      page.push(letter);
    }
    return { letters: page, cursor: null };
  }

  private behindCursor(
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

/** The cursor of the page that ends with a letter. */
export function cursorBehind({ offset }: PlacedLetter, until: number | null): string {
  return formatLetterCursor({ offset, until });
}

/** The ids that follow the one with which the page before ended. */
function namedBehind(ids: readonly string[], cursor: LetterCursor | null): readonly string[] {
  if (cursor === null) return ids;
  return ids.slice(ids.findIndex((id) => failureOffsetOf(id) === cursor.offset) + 1);
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
