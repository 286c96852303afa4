/** Lists that come in pages: what is loaded so far, and how to load more. */
import { hashKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { againMs } from './queries.ts';
import { pauseOf } from './refresh.ts';

/** One page of a listing; a page without a cursor is the last one. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor?: string | undefined;
  /** What the server could not read, and the rows lack. */
  readonly damaged?: readonly { readonly error: string }[] | undefined;
}

/** The result of `useRows`, which tables and list states take. */
export interface Rows<Row> {
  readonly query: UseInfiniteQueryResult<unknown>;
  /** The rows of all loaded pages; undefined before the first one. */
  readonly rows: readonly Row[] | undefined;
  /** Loads one more page; absent if there is none, or it is loading. */
  readonly more: (() => void) | undefined;
  /**
   * Replaces `more` if the last page had no rows: the server searches a bounded part at a time, and
   * continues only on request.
   */
  readonly further: (() => void) | undefined;
  /** What the server could not read for these rows, each place once. */
  readonly damaged: readonly string[];
}

/**
 * `key` begins with the kind of the rows, and includes everything that `load` depends on, with the
 * filters last. While other filters are loaded, the rows of the previous ones are shown.
 */
export function useRows<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<RowPage<Row>>,
): Rows<Row> {
  const query = useInfiniteQuery({
    queryKey: [...key, 'rows'],
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    placeholderData: (rows, before) =>
      hashKey(before?.queryKey.slice(0, -2) ?? []) === hashKey(key.slice(0, -1)) ? rows : undefined,
    // The type is that of all later page parameters.
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

/** The rows read from a listing at once. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** Whether there are more rows than were read. */
  readonly isCut: boolean;
  /** What the server could not read from its disk, in its words; the rows lack it. */
  readonly damaged: readonly string[];
}

/** Reads page by page, until the end or until there are at least `rowsMax` rows. */
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
