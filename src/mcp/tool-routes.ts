/** Which `GET` answers what a tool is asked. Pure. */
import { keysOf } from '../grammar/keys.js';
import type { Question } from './question.js';

/** Kinds of things, and the path of their listing. */
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

/** What `list` and `show` may be asked for. */
export type ListedKind = keyof typeof listings;

/** All of them, for the schemas of the tools. */
export const listedKinds = keysOf(listings);

/** Listings that come in pages; the others are answered whole. */
const paged: ReadonlySet<ListedKind> = new Set([
  'message',
  'log',
  'dead_letter',
  'run',
  'failed_run',
]);

/** What can be looked at by its id or name: every kind but a row of the log. */
export const shownKinds = listedKinds.filter((kind) => kind !== 'log');

/** What can wait, and the end of the path that says for what. */
const waits = {
  message: ['/v2/messages', 'why'],
  run: ['/v2/workflows/runs', 'why'],
  queue: ['/v2/queues', 'waiting'],
  flow_key: ['/v2/flowControl', 'waiting'],
  schedule: ['/v2/schedules', 'next'],
} as const;

/** What `why` may be asked for. */
export type WaitingKind = keyof typeof waits;

/** All of them, for the schemas of the tools. */
export const waitingKinds = keysOf(waits);

/** What a listing is asked for. */
export interface Wanted {
  readonly count?: number | undefined;
  readonly cursor?: string | undefined;
  readonly filters?: Readonly<Record<string, string>> | undefined;
}

const countStandard = 20;
/** The largest page of `/v2/workflows/logs`. */
const runsMax = 10;

/** The question for a page: 20 items where nothing is said; a listing without pages gives all. */
export function listQuestion(kind: ListedKind, wanted: Wanted): Question {
  const { count = countStandard, cursor, filters = {} } = wanted;
  const query = new URLSearchParams(filters);
  if (paged.has(kind)) query.set('count', `${kind === 'run' ? Math.min(count, runsMax) : count}`);
  if (cursor !== undefined) query.set('cursor', cursor);
  return get(listings[kind], query);
}

/**
 * The question for one thing, whose `id` may be any text; of a run the answer is a listing of one.
 */
export function showQuestion(kind: ListedKind, id: string): Question {
  if (kind === 'run') return get(listings.run, new URLSearchParams({ workflowRunId: id }));
  const query = new URLSearchParams(kind === 'message' ? { final: 'true' } : {});
  return get(`${listings[kind]}/${encodeURIComponent(id)}`, query);
}

/** The question why one thing waits, whose `id` may be any text. */
export function whyQuestion(kind: WaitingKind, id: string): Question {
  const [path, end] = waits[kind];
  return get(`${path}/${encodeURIComponent(id)}/${end}`);
}

/** Rows of messages, or of runs: the newest ones, or those from a time on (Unix milliseconds). */
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

/** Where the partitions of a topic begin and end. */
export function topicQuestion(topic: string): Question {
  return showQuestion('topic', topic);
}

/** One partition, as `topicQuestion` is answered. */
export interface Partition {
  readonly partition: number;
  readonly earliest: number;
  readonly latest: number;
}

/** Bytes of records in one answer: as text they may be longer. */
const recordsBytesMax = 128 * 1024;

/** What a look at a topic is asked for. */
export interface WantedRecords {
  readonly count: number;
  /** Records of this time on, Unix milliseconds; null = the newest, or the next where it waits. */
  readonly since: number | null;
  /** How long to wait for a first record, milliseconds. */
  readonly waitMs: number;
}

/** At most `count` records, in equal shares of partitions. */
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
