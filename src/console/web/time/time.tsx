/** A time as people read it: how long ago, and exactly when on hover. */
import { now, useNow } from './clock.ts';
import { exact, moment, relative } from './format.ts';

/** `at` in Unix milliseconds; nothing where there is none. */
export function Time({ at }: { readonly at: number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined || at === 0) return <span className="text-muted">–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap">
      {relative(at, now)}
    </time>
  );
}

/** A time as logs write it, in a list of what happened; `at` in Unix milliseconds. */
export function LogTime({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className="whitespace-nowrap">
      {moment(at, now())}
    </time>
  );
}
