/** Names and values of one thing, two columns wide. */
import type { ReactNode } from 'react';

/**
 * What is null or undefined is left out. Names that others choose are given as a list: an object
 * puts those that are numbers first.
 */
export function Facts({
  of,
}: {
  readonly of: Readonly<Record<string, ReactNode>> | readonly (readonly [string, ReactNode])[];
}) {
  const facts = Array.isArray(of) ? of : Object.entries(of);
  const known = facts.filter(([, value]) => value !== undefined && value !== null);
  return (
    <dl className="grid grid-cols-[fit-content(60%)_1fr] gap-x-4 gap-y-1 p-3">
      {known.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header may be there twice
        <div key={index} className="contents">
          <dt className="min-w-24 text-muted wrap-anywhere">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
