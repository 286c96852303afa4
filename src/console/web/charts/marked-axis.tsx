/** Words at places of an axis. What they say is read elsewhere, too: they are for the eye alone. */

export interface AxisMark {
  /** From its beginning, percent. */
  readonly place: number;
  readonly word: string;
}

/** So close to an end, percent, a mark is written beside its place and not below it. */
const nearStart = 2;
const nearEnd = 94;

function shiftOf(place: number): string {
  if (place > nearEnd) return '-translate-x-full';
  return place > nearStart ? '-translate-x-1/2' : '';
}

/** Where there is little room, every other mark is left out. */
export function MarkedAxis({ marks }: { readonly marks: readonly AxisMark[] }) {
  return (
    <span className="relative block h-4 text-xs text-muted" aria-hidden="true">
      {marks.map(({ place, word }, index) => (
        <span
          key={place}
          className={`absolute whitespace-nowrap ${shiftOf(place)} ${index % 2 === 0 ? '' : 'max-sm:hidden'}`}
          style={{ left: `${place}%` }}
        >
          {word}
        </span>
      ))}
    </span>
  );
}
