/** Names and values of one item, in two columns. */
import type { ReactNode } from 'react';

/**
 * Null and undefined values are left out. Names chosen by others are passed as a list, because an
 * object would put numeric names first.
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
