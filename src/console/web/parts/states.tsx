/** What a page shows instead of data: it is loading, it failed, or there is nothing yet. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import type { Rows } from '../api/rows.ts';
import { useSession } from '../api/session.ts';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
import { curlOf } from './shell-words.ts';
import { State } from './state-mark.tsx';

/** Placeholder lines for text that is loading. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="p-3 motion-safe:animate-pulse">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <div key={index} className="mb-3 h-4 rounded bg-raised last:w-2/3" />
      ))}
    </div>
  );
}

/** An error, and a button to retry. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  if (isDamage(error)) return <Damage error={error} />;
  const status = error instanceof ApiError && error.status > 0 ? ` (${error.status})` : '';
  return (
    <div role="alert" className="m-3 flex flex-wrap items-center gap-3 text-bad">
      <span>
        {error.message}
        {status}
      </span>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** For damage on the disk, a retry would not help. */
function isDamage(error: Error): boolean {
  return error instanceof ApiError && error.status === 500 && /\bdamaged\b/.test(error.message);
}

/** Shown above a list that lacks damaged rows. */
export function MissingRows({ places }: { readonly places: readonly string[] }) {
  if (places.length === 0) return null;
  return (
    <div role="alert" className="m-3 rounded-md border border-line bg-bad-tint p-3">
      <State of="DAMAGED" word="damaged data" />
      <p className="mt-1">The list lacks what the server could not read:</p>
      <ul className="mt-1 list-disc pl-5 wrap-anywhere">
        {places.map((place) => (
          <li key={place}>{place}</li>
        ))}
      </ul>
    </div>
  );
}

function Damage({ error }: { readonly error: Error }) {
  return (
    <div role="alert" className="m-3 rounded-md border border-line bg-bad-tint p-3">
      <State of="DAMAGED" word="damaged data" />
      <p className="mt-1 wrap-anywhere">The server answers: {error.message}.</p>
      <p className="mt-1 text-muted">
        Everything else can be read. Do not change the data folder: a backup, or an export of what
        is intact, brings back the rest (Damage in docs/operations.md).
      </p>
    </div>
  );
}

/**
 * A refusal of data that was shown before, above the data. That the server does not answer is said
 * once for the whole page, by a banner.
 */
function Refused({ error, retry }: { readonly error: Error | null; readonly retry: () => void }) {
  if (error === null || (error instanceof ApiError && error.status === 0)) return null;
  return <Failure error={error} retry={retry} />;
}

/** Shows the state of a query until it has data, and its data by `children`. */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        <Refused error={error} retry={() => refetch()} />
        {children(data)}
      </>
    );
  }
  if (error !== null) return <Failure error={error} retry={() => refetch()} />;
  return <Skeleton {...(lines !== undefined && { lines })} />;
}

/** Shows the rows of a list by `children`, or why there are none. */
export function RowStates<Row>({
  list: { rows, query, further, damaged },
  isFiltered,
  empty,
  children,
}: {
  readonly list: Rows<Row>;
  readonly isFiltered: boolean;
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}) {
  const searching =
    further === undefined ? null : (
      <p className="flex flex-wrap items-center gap-3 border-t border-line p-3 text-muted">
        Nothing more was found up to this time.
        <Button onClick={further}>Search further</Button>
      </p>
    );
  if (rows !== undefined && rows.length > 0) {
    return (
      <>
        <Refused error={query.error} retry={() => query.refetch()} />
        <MissingRows places={damaged} />
        <Previous isShown={query.isPlaceholderData}>{children(rows)}</Previous>
        {searching}
      </>
    );
  }
  if (query.error !== null) return <Failure error={query.error} retry={() => query.refetch()} />;
  if (rows === undefined || query.isPlaceholderData) return <Skeleton />;
  if (damaged.length > 0) return <MissingRows places={damaged} />;
  if (!isFiltered) return empty;
  return searching ?? <Empty title="Nothing matches these filters" />;
}

/**
 * While `isShown`, its rows are those of previous filters: they are dim, cannot be used, and a line
 * says that others are loaded. It shows after a moment, so that fast answers do not flicker.
 */
function Previous({
  isShown,
  children,
}: {
  readonly isShown: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className="relative" aria-busy={isShown}>
      {isShown && (
        <div
          role="status"
          aria-label="Loading"
          className="absolute inset-x-0 top-0 z-10 h-0.5 animate-soon bg-accent-fill"
        />
      )}
      <div inert={isShown} className={isShown ? 'opacity-50 transition-opacity delay-200' : ''}>
        {children}
      </div>
    </div>
  );
}

/** Shown if there is nothing yet: what would be here, and the command that creates some. */
export function Empty({
  title,
  children,
  command,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly command?: string;
  /** An action that creates an item from here. */
  readonly action?: ReactNode;
}) {
  return (
    <div className="mx-auto max-w-2xl px-4 py-10 text-center">
      <p className="mb-1 text-base font-semibold">{title}</p>
      <div className="mb-4 text-muted">{children}</div>
      {command !== undefined && <Code text={command} />}
      {action}
    </div>
  );
}

/** A `curl` command for this server, with its port and, under `dev`, its token. */
export function useCurl(): (path: string, ...more: readonly string[]) => string {
  const { data } = useSession();
  const token = data?.token ?? '$STEPWELL_TOKEN';
  return (path, ...more) =>
    curlOf(`${location.origin}${path}`, [`-H "Authorization: Bearer ${token}"`, ...more]);
}

/** The prefix of option headers in the dialect of this server: `Svc-` or `Upstash-`. */
export function useHeaderPrefix(): string {
  return useSession().data?.dialect === 'upstash' ? 'Upstash-' : 'Svc-';
}
