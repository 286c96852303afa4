/**
 * Labels at positions of an axis. They are only visual, as the same information is available
 * elsewhere.
 */

export interface AxisMark {
  /** The distance from the start, in per cent. */
  readonly place: number;
  readonly word: string;
}

/**
 * Within this distance of an end, in per cent, a label is aligned to the end instead of centred.
 */
const nearStart = 2;
const nearEnd = 94;

function shiftOf(place: number): string {
  if (place > nearEnd) return '-translate-x-full';
  return place > nearStart ? '-translate-x-1/2' : '';
}

/** If there is little room, every other label is left out. */
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
