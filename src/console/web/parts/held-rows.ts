/** A list that grows at the top does not move under the mouse: new rows wait. */
import { useState } from 'react';

interface HeldRows<Row> {
  readonly shown: readonly Row[];
  /** How many rows wait above those that are shown. */
  readonly fresh: number;
  /** Shows the waiting rows. */
  release(): void;
}

/**
 * The rows to show from `rows`, newest first: all of them, but while `isHeld`, none above the row
 * that was at the top when it began. The contents of shown rows are up to date.
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
