/** Lists that come in pages: what is loaded so far, and how to load more. */
import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { againMs } from './queries.ts';
import { pauseOf } from './refresh.ts';

/** One page of a listing; without a cursor it is the last. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor?: string | undefined;
  /** What the server could not read: the rows are without it. */
  readonly damaged?: readonly { readonly error: string }[] | undefined;
}

/** What `useRows` gives, and tables and states of lists take. */
export interface Rows<Row> {
  readonly query: UseInfiniteQueryResult<unknown>;
  /** Of all pages that are loaded; undefined before the first. */
  readonly rows: readonly Row[] | undefined;
  /** Loads one more page; absent where there is none, or it is on its way. */
  readonly more: (() => void) | undefined;
  /**
   * In place of `more` where the last page had no rows: a search has a bound, and what it has not
   * found goes on only when it is asked to.
   */
  readonly further: (() => void) | undefined;
  /** What the server could not read for them, each place once. */
  readonly damaged: readonly string[];
}

/** `key` begins with the kind of the rows, and names all that `load` depends on. */
export function useRows<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<RowPage<Row>>,
): Rows<Row> {
  const query = useInfiniteQuery({
    queryKey: [...key, 'rows'],
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    // While a filter is typed what it was shows, and not a skeleton.
    placeholderData: keepPreviousData,
    // Its type is that of all later ones.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor,
    refetchInterval: ({ state }) => pauseOf(state.data?.pages.length ?? 0) ?? againMs(),
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows), [data]);
  const damaged = useMemo(() => damagedIn(data?.pages ?? []), [data]);
  const next = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined;
  const isSparse = data?.pages.at(-1)?.rows.length === 0;
  return {
    query,
    rows,
    more: isSparse ? undefined : next,
    further: isSparse ? next : undefined,
    damaged,
  };
}

function damagedIn(pages: readonly RowPage<unknown>[]): readonly string[] {
  return [...new Set(pages.flatMap(({ damaged = [] }) => damaged.map(({ error }) => error)))];
}

/** What was read of a listing at once. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** There are more rows than were read. */
  readonly isCut: boolean;
  /** What the server could not read on its disk, in its words: the rows are without it. */
  readonly damaged: readonly string[];
}

/** Reads page after page, to the end or to the page that has the row of number `rowsMax`. */
export async function rowsUpTo<Row>(
  rowsMax: number,
  load: (cursor: string | undefined) => Promise<RowPage<Row>>,
): Promise<ReadRows<Row>> {
  const rows: Row[] = [];
  const pages: RowPage<Row>[] = [];
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    pages.push(page);
    rows.push(...page.rows);
    cursor = page.cursor;
  } while (cursor !== undefined && rows.length < rowsMax);
  return { rows, isCut: cursor !== undefined, damaged: damagedIn(pages) };
}
