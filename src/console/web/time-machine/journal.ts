/**
 * The journal as the time machine shows it: its events in words, and the page that each leads to.
 */
import { api, ask } from '../api/client.ts';

/** An event of `GET /admin/journal`; its other fields depend on its type. */
export interface JournalEvent {
  readonly offset: number;
  /** In Unix ms. */
  readonly at: number;
  readonly kind: string;
  readonly id: string;
  readonly type: string;
  readonly by?: { readonly name: string | null } | string | null;
  readonly [field: string]: unknown;
}

/** `cursor` is undefined if there are no more pages. */
export interface JournalPage {
  readonly rows: readonly JournalEvent[];
  readonly cursor: string | undefined;
  /** What could not be read. */
  readonly damaged: readonly { readonly error: string }[] | undefined;
}

const pageSize = 100;

/** Events up to `until`, newest first; without `until`, all of them. */
export async function loadEvents(
  filters: {
    readonly until?: number | undefined;
    readonly type?: string;
    readonly stream?: string;
  },
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<JournalPage> {
  const { until, type, stream } = filters;
  const query = {
    order: 'newest' as const,
    count: pageSize,
    ...(until !== undefined && { until: String(until) }),
    ...(type !== undefined && { type }),
    ...(stream !== undefined && { stream }),
    ...(cursor !== undefined && { cursor }),
  };
  const text = await ask(api.GET('/admin/journal', { params: { query }, parseAs: 'text', signal }));
  const lines = String(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const rows = lines.filter((line): line is JournalEvent => 'type' in line);
  const last = lines.find((line) => !('type' in line));
  return { rows, cursor: last?.cursor, damaged: last?.damaged };
}

/** `MessagePublished` becomes `Message published`. */
export function inWords(type: string): string {
  return type
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase());
}

const details = ['url', 'error', 'reason', 'status', 'queueName', 'eventId', 'cron', 'name'];

/** What is shown of an event besides its type: its destination, its error. */
export function detailOf(event: JournalEvent): string {
  return details
    .flatMap((name) => {
      const value = event[name];
      return typeof value === 'string' || typeof value === 'number' ? String(value) : [];
    })
    .slice(0, 2)
    .join(', ');
}

/** Who caused the event: the name of a credential, or the server itself. */
export function causeOf({ by }: JournalEvent): string {
  if (typeof by === 'string') return by;
  return by?.name ?? 'the server';
}

/** The page of the item, as of that event; null if there is no such page. */
export function pageOf({ kind, id, at }: JournalEvent): string | null {
  const path = encodeURIComponent(id);
  if (kind === 'run') return `/workflows/${path}?asOf=${at}`;
  if (kind === 'message') return `/messages/${path}?asOf=${at}`;
  if (kind === 'topic') return `/topics/${path}`;
  return null;
}
