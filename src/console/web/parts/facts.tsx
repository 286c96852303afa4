/** Names and values of one thing, two columns wide. */
import type { ReactNode } from 'react';

/** What is null or undefined is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(of).filter(([, value]) => value !== undefined && value !== null);
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1 p-3">
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
