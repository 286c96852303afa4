/** One of a few exclusive choices, as a toggle button. */
import type { ReactNode } from 'react';

export function Pill({
  isChosen,
  press,
  children,
}: {
  readonly isChosen: boolean;
  readonly press: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={press}
      className={`inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2.5 hover:bg-raised ${isChosen ? 'border-accent bg-raised font-medium' : 'border-line'}`}
    >
      {children}
    </button>
  );
}
