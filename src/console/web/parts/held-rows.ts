/** A list that grows at its head does not move under the mouse: what is new waits. */
import { useState } from 'react';

interface HeldRows<Row> {
  readonly shown: readonly Row[];
  /** How many stand above those that are shown. */
  readonly fresh: number;
  /** Shows them. */
  release(): void;
}

/**
 * Of `rows`, newest first, those that are shown: all, but while `isHeld` nothing above the row that
 * stood at the top when it began. Rows that are shown are today's.
 */
export function useHeldRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  isHeld: boolean,
): HeldRows<Row> {
  const [top, setTop] = useState<string | null>(null);
  const newest = rows[0] === undefined ? null : keyOf(rows[0]);
  const index = top === null ? 0 : rows.findIndex((row) => keyOf(row) === top);
  const mayFollow = !isHeld || index <= 0;
  if (mayFollow && top !== newest) setTop(newest);
  const fresh = mayFollow ? 0 : index;
  return {
    shown: fresh === 0 ? rows : rows.slice(fresh),
    fresh,
    release: () => setTop(newest),
  };
}
