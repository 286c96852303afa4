/** A time for people: how long ago, and the exact time on hover. */
import { now, useNow } from './clock.ts';
import { exact, moment, relative } from './format.ts';

/** `at` is in Unix ms; shows a dash if there is no time. */
export function Time({ at }: { readonly at: number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined || at === 0) return <span className="text-muted">–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap">
      {relative(at, now)}
    </time>
  );
}

/** A time as in a log, for a list of events; `at` is in Unix ms. */
export function LogTime({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap">
      {moment(at, now())}
    </time>
  );
}
