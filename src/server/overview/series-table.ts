/** The series that are kept for each minute, and the metric that each is read from. */
import { keysOf } from '../../grammar/keys.js';

/** How a metric becomes one number for each minute. */
export type Measure =
  /** How much was added in the minute. */
  | { readonly how: 'added' }
  /** The value at the end of the minute. */
  | { readonly how: 'level' }
  /** The quantile of the minute's observations, in seconds; null if there were none. */
  | { readonly how: 'quantile'; readonly quantile: number };

/** How the values of a series are read from a metric. */
export interface Series {
  readonly metric: string;
  /** Labels that a value must have; without them, all values are added up. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly measure: Measure;
  /** What it measures, for the description of the route. */
  readonly meaning: string;
}

const added = { how: 'added' } as const;
const level = { how: 'level' } as const;
const p50 = { how: 'quantile', quantile: 0.5 } as const;
const p99 = { how: 'quantile', quantile: 0.99 } as const;

const attempts = (outcome: string, meaning: string): Series => ({
  metric: 'stepwell_attempts_total',
  labels: { outcome },
  measure: added,
  meaning,
});

const runs = (outcome: string): Series => ({
  metric: 'stepwell_runs_ended_total',
  labels: { outcome },
  measure: added,
  meaning: `Runs that ${outcome === 'canceled' ? 'were' : 'have'} ${outcome}`,
});

const gauge = (metric: string, meaning: string): Series => ({ metric, measure: level, meaning });

const seconds = (metric: string, measure: Measure, meaning: string): Series => ({
  metric,
  measure,
  meaning,
});

/** By the name that clients use. */
export const seriesTable = {
  published: { metric: 'stepwell_messages_published_total', measure: added, meaning: 'Messages' },
  delivered: attempts('delivered', 'Attempts that delivered'),
  retried: attempts('retried', 'Attempts that failed and are tried again'),
  failed: attempts('failed', 'Attempts that failed for good'),
  lagP50: seconds('stepwell_delivery_lag_seconds', p50, 'From due to begun, median'),
  lagP99: seconds('stepwell_delivery_lag_seconds', p99, 'From due to begun, of 99 in 100'),
  attemptP50: seconds('stepwell_attempt_seconds', p50, 'Time of an attempt, median'),
  attemptP99: seconds('stepwell_attempt_seconds', p99, 'Time of an attempt, of 99 in 100'),
  commitP99: seconds('stepwell_commit_seconds', p99, 'Time of a commit, of 99 in 100'),
  pending: gauge('stepwell_backlog_messages', 'Messages that are not final'),
  waiting: gauge('stepwell_waiting_attempts', 'Attempts that wait for a limit'),
  queueLag: gauge('stepwell_queue_lag_messages', 'Messages that wait in queues'),
  deadLetters: gauge('stepwell_dead_letters', 'Dead letters of messages'),
  activeRuns: gauge('stepwell_active_runs', 'Runs that have not ended'),
  runsStarted: { metric: 'stepwell_runs_started_total', measure: added, meaning: 'Runs started' },
  runsSucceeded: runs('succeeded'),
  runsFailed: runs('failed'),
  runsCanceled: runs('canceled'),
  requests: { metric: 'stepwell_http_requests_total', measure: added, meaning: 'Answers' },
  connections: gauge('stepwell_connections', 'Connections that are open'),
  topicBytes: gauge('stepwell_topic_bytes', 'Bytes of all topics'),
  consumers: gauge('stepwell_consumer_instances', 'Instances of consumer groups'),
  heapBytes: gauge('stepwell_heap_used_bytes', 'Bytes of the heap'),
  residentBytes: gauge('stepwell_resident_memory_bytes', 'Bytes of the process'),
} as const satisfies Record<string, Series>;

/** A value of `?names=` of `/admin/series`. */
export type SeriesName = keyof typeof seriesTable;

/** All names, in the order of the table. */
export const seriesNames = keysOf(seriesTable);
