/**
 * A week of a schedule, with one cell for each hour: the more often it fires, the stronger the
 * colour.
 */
import { count } from '../time/format.ts';
import type { Heat } from './heat.ts';

/** The hours that are labelled below the cells. */
const ticks = [0, 6, 12, 18];

export function HeatStrip({ heat: { days, max } }: { readonly heat: Heat }) {
  const sum = days.reduce((all, { hours }) => all + hours.reduce((one, two) => one + two, 0), 0);
  return (
    <div
      role="img"
      aria-label={`It triggers ${count(sum)} times in seven days`}
      className="grid grid-cols-[3.5rem_repeat(24,minmax(0,1fr))] gap-0.5 p-3 text-xs"
    >
      {days.map(({ name, hours }) => (
        <Day key={name} name={name} hours={hours} max={max} />
      ))}
      <span />
      {Array.from({ length: 24 }, (_, hour) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
        <span key={hour} className="text-muted">
          {ticks.includes(hour) ? hour : ''}
        </span>
      ))}
    </div>
  );
}

function Day({
  name,
  hours,
  max,
}: {
  readonly name: string;
  readonly hours: readonly number[];
  readonly max: number;
}) {
  return (
    <>
      <span className="text-muted">{name}</span>
      {hours.map((fires, hour) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
          key={hour}
          title={`${name}, ${hour}:00: ${fires === 1 ? 'once' : `${count(fires)} times`}`}
          style={fires === 0 ? {} : { opacity: 0.35 + (0.65 * fires) / max }}
          className={`h-4 rounded-xs ${fires === 0 ? 'bg-raised' : 'bg-accent-fill'}`}
        />
      ))}
    </>
  );
}
