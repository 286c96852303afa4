/** The row of a list that is selected by keys: `j` and `k` move, Enter opens, Escape deselects. */
import { useState } from 'react';
import { useKeys } from './keys.ts';

/** The index of the selected row among `count`; -1 = none. `show` scrolls a row into view. */
export function useChosenRow(
  count: number,
  show: (index: number) => void,
  open: (index: number) => void,
): number {
  const [chosen, setChosen] = useState(-1);
  const choose = (index: number) => {
    if (count === 0) return;
    const next = Math.max(0, Math.min(count - 1, index));
    setChosen(next);
    show(next);
  };
  const keys = {
    j: () => choose(chosen + 1),
    k: () => choose(chosen - 1),
    ['Enter']: () => open(chosen),
    ['Escape']: () => setChosen(-1),
  };
  // A table without rows to choose leaves the keys to the next one.
  useKeys(count === 0 ? {} : keys);
  return chosen;
}
