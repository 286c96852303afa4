/** The `GET` request for each query of a tool. Pure. */
import { keysOf } from '../grammar/keys.js';
import type { Question } from './question.js';

/** The kinds of items, and the path of their listing. */
const listings = {
  message: '/v2/messages',
  log: '/v2/logs',
  dead_letter: '/v2/dlq',
  run: '/v2/workflows/logs',
  failed_run: '/v2/workflows/dlq',
  schedule: '/v2/schedules',
  queue: '/v2/queues',
  flow_key: '/v2/flowControl',
  url_group: '/v2/topics',
  topic: '/admin/topics',
  consumer_group: '/admin/groups',
} as const;

/** The kinds that `list` and `show` accept. */
export type ListedKind = keyof typeof listings;

/** All kinds, for the schemas of the tools. */
export const listedKinds = keysOf(listings);

/** Listings in pages; the others are answered completely. */
const paged: ReadonlySet<ListedKind> = new Set([
  'message',
  'log',
  'dead_letter',
  'run',
  'failed_run',
  'schedule',
]);

/** Kinds that can be shown by id or name: all except rows of the log. */
export const shownKinds = listedKinds.filter((kind) => kind !== 'log');

/** The kinds that can wait, and the last part of the path that explains why. */
const waits = {
  message: ['/v2/messages', 'why'],
  run: ['/v2/workflows/runs', 'why'],
  queue: ['/v2/queues', 'waiting'],
  flow_key: ['/v2/flowControl', 'waiting'],
  schedule: ['/v2/schedules', 'next'],
} as const;

/** The kinds that `why` accepts. */
export type WaitingKind = keyof typeof waits;

/** All such kinds, for the schemas of the tools. */
export const waitingKinds = keysOf(waits);

/** The parameters of a listing. */
export interface Wanted {
  readonly count?: number | undefined;
  readonly cursor?: string | undefined;
  readonly filters?: Readonly<Record<string, string>> | undefined;
}

const countStandard = 20;
/** The largest page of `/v2/workflows/logs`. */
const runsMax = 10;

/** The query for a page, of 20 items by default; a listing without pages answers with all items. */
export function listQuestion(kind: ListedKind, wanted: Wanted): Question {
  const { count = countStandard, cursor, filters = {} } = wanted;
  const query = new URLSearchParams(filters);
  if (paged.has(kind)) query.set('count', `${kind === 'run' ? Math.min(count, runsMax) : count}`);
  if (cursor !== undefined) query.set('cursor', cursor);
  return get(listings[kind], query);
}

/**
 * The query for one item, whose `id` may be any text; for a run, the answer is a listing with one
 * run.
 */
export function showQuestion(kind: ListedKind, id: string): Question {
  if (kind === 'run') return get(listings.run, new URLSearchParams({ workflowRunId: id }));
  const query = new URLSearchParams(kind === 'message' ? { final: 'true' } : {});
  return get(`${listings[kind]}/${encodeURIComponent(id)}`, query);
}

/** The query why one item waits; its `id` may be any text. */
export function whyQuestion(kind: WaitingKind, id: string): Question {
  const [path, end] = waits[kind];
  return get(`${path}/${encodeURIComponent(id)}/${end}`);
}

/**
 * The query for rows of messages, or of runs: the newest ones, or those from `since` on (Unix ms).
 */
export function rowsQuestion(
  kind: 'message' | 'run',
  { since, count, filters = {} }: Omit<Wanted, 'cursor'> & { readonly since?: number | undefined },
): Question {
  const query = new URLSearchParams(filters);
  query.set('count', `${count ?? countStandard}`);
  if (since !== undefined) {
    query.set('fromDate', `${since}`);
    query.set('order', 'earliestFirst');
  }
  return get(kind === 'message' ? '/v2/logs' : '/v2/workflows/events', query);
}

/** The query for where the partitions of a topic begin and end. */
export function topicQuestion(topic: string): Question {
  return showQuestion('topic', topic);
}

/** One partition in the answer to `topicQuestion`. */
export interface Partition {
  readonly partition: number;
  readonly earliest: number;
  readonly latest: number;
}

/** How many bytes of records one answer may hold; as text they may be longer. */
const recordsBytesMax = 128 * 1024;

/** The parameters for reading records of a topic. */
export interface WantedRecords {
  readonly count: number;
  /**
   * Records from this time on, in Unix ms; null = the newest records, or with `waitMs` the next
   * ones.
   */
  readonly since: number | null;
  /** How long to wait for a first record, in ms. */
  readonly waitMs: number;
}

/** The query for at most `count` records, in equal shares from the partitions. */
export function recordsQuestion(
  topic: string,
  partitions: readonly Partition[],
  { count, since, waitMs }: WantedRecords,
): Question {
  const share = waitMs > 0 ? 0 : Math.ceil(count / Math.max(1, partitions.length));
  const positions = partitions.map(({ partition, earliest, latest }) => ({
    topic,
    partition,
    ...(since === null ? { offset: Math.max(earliest, latest - share) } : { timestamp: since }),
  }));
  const body = JSON.stringify({
    topicPartitionOffsets: positions,
    timeout: waitMs,
    maxRecords: count,
    maxBytes: recordsBytesMax,
    offsetReset: 'earliest',
  });
  return { target: '/fetch', body };
}

function get(path: string, query = new URLSearchParams()): Question {
  const text = query.toString();
  return { target: text === '' ? path : `${path}?${text}`, body: null };
}
