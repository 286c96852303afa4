/** How much was recorded, as columns over time; a click on a column goes to its end. */
import { ClockAxis } from '../charts/time-axis.tsx';
import { count, duration, exact } from '../time/format.ts';

/** One step of `/admin/journal/activity`. */
interface Bucket {
  /** Its start, in Unix ms. */
  readonly at: number;
  readonly events: number;
}

interface ActivityProps {
  readonly buckets: readonly Bucket[];
  readonly stepMs: number;
  /** The moment shown; null = now. */
  readonly at: number | null;
  readonly change: (at: number) => void;
}

const height = 64;

/** Columns that began after `at`, in Unix ms, are pale; null = now. */
export function Activity({ buckets, stepMs, at, change }: ActivityProps) {
  const most = Math.max(1, ...buckets.map(({ events }) => events));
  const width = 100 / Math.max(1, buckets.length);
  const sum = buckets.reduce((all, { events }) => all + events, 0);
  const [first, last] = [buckets[0], buckets.at(-1)];
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider below goes there by keys */}
      <svg
        role="img"
        aria-label={`${count(sum)} events, by ${duration(stepMs)}`}
        className="block h-16 w-full"
        onClick={(event) => {
          const { left, width: wide } = event.currentTarget.getBoundingClientRect();
          const index = Math.floor(((event.clientX - left) / wide) * buckets.length);
          const bucket = buckets[index];
          if (bucket !== undefined) change(bucket.at + stepMs - 1);
        }}
      >
        {buckets.map(({ at: begins, events }, index) => {
          const tall = events === 0 ? 0 : Math.max(2, (height * events) / most);
          const isLater = at !== null && begins > at;
          return (
            <rect
              key={begins}
              data-events={events}
              x={`${index * width}%`}
              y={height - tall}
              width={`${width * 0.8}%`}
              height={tall}
              className={isLater ? 'fill-line' : 'fill-accent'}
            >
              <title>{`${exact(begins)}: ${count(events)} events`}</title>
            </rect>
          );
        })}
      </svg>
      {first !== undefined && last !== undefined && (
        <div className="mt-1 border-t border-line pt-1">
          <ClockAxis from={first.at} until={last.at + stepMs} />
        </div>
      )}
    </>
  );
}
