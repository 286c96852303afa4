/** Parses a consume request: its topics, its limits, and the settings of a new instance. */
import { isJsonObject, type JsonFields } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readLogOptions } from '../../http/dialect.js';
import { type Strategy, strategies } from '../groups/assignment.policy.js';
import type { ConsumerSettings, OffsetReset } from '../groups/consumer.events.js';
import { parseReadLimits, type ReadLimits } from '../records/read-limits.js';
import { refusedHeader } from '../records/refused-header.js';

/** One consume (topics.md 4.1). */
export interface ConsumeRequest extends ReadLimits {
  /** The topics without duplicates, in the order of the request. */
  readonly topics: readonly string[];
}

/** How an instance is created; a strategy of null = that of its group. */
export interface JoinOptions {
  readonly settings: ConsumerSettings;
  readonly strategy: Strategy | null;
}

const topicsMax = 1024;
const intervalMsMax = 86_400_000;
/**
 * With a shorter timeout, a slow network would end an instance between two calls; with more than a
 * day, partitions would wait for an instance that was abandoned long ago.
 */
const sessionTimeoutMsMin = 1000;
const sessionTimeoutMsMax = 86_400_000;

const resets: readonly OffsetReset[] = ['earliest', 'latest', 'none'];

/** Parses `/consume/{group}/{instance}/{topic}?timeout=`. */
export function parseConsumePath(topic: string, timeout: unknown): Result<ConsumeRequest> {
  return requestOf([topic], { timeout });
}

/**
 * Parses the body of `/consume/{group}/{instance}`: the topics are in `topic`, in `topics`, or in
 * both.
 */
export function parseConsume(body: unknown): Result<ConsumeRequest> {
  if (!isJsonObject(body)) return refused('the body must be an object');
  const { topic = null, topics = null } = body;
  if (topic !== null && typeof topic !== 'string') return refused('topic must be a string');
  if (topics !== null && !isTexts(topics)) return refused('topics must be an array of strings');
  return requestOf([...(topic === null ? [] : [topic]), ...(topics ?? [])], body);
}

/**
 * Parses the settings in the headers of a request that may create an instance (topics.md 4.2).
 * `sessionTimeout` is the default session timeout, in milliseconds.
 */
export function parseJoinOptions(
  rawHeaders: readonly string[],
  sessionTimeout: number,
): Result<JoinOptions> {
  const options = readLogOptions(rawHeaders);
  const word = (name: string) => options.get(name)?.trim().toLowerCase();
  const autoCommit = word('enable-auto-commit') ?? 'true';
  if (autoCommit !== 'true' && autoCommit !== 'false') {
    return refusedHeader(rawHeaders, 'the header Stream-Enable-Auto-Commit must be true or false');
  }
  const offsetReset = resets.find((reset) => reset === (word('auto-offset-reset') ?? 'latest'));
  if (offsetReset === undefined) {
    return refusedHeader(
      rawHeaders,
      'the header Stream-Auto-Offset-Reset must be earliest, latest or none',
    );
  }
  const strategy = strategies.find((each) => each === word('assignment-strategy')) ?? null;
  if (strategy === null && word('assignment-strategy') !== undefined) {
    return refusedHeader(
      rawHeaders,
      'the header Stream-Assignment-Strategy must be range, roundrobin or sticky',
    );
  }
  const interval = milliseconds(word('auto-commit-interval'), 5000);
  if (interval === null) {
    return refusedHeader(
      rawHeaders,
      'the header Stream-Auto-Commit-Interval must be a number of milliseconds',
    );
  }
  const sessionTimeoutMs = milliseconds(word('session-timeout-ms'), sessionTimeout) ?? 0;
  if (sessionTimeoutMs < sessionTimeoutMsMin || sessionTimeoutMs > sessionTimeoutMsMax) {
    const bounds = `${sessionTimeoutMsMin} to ${sessionTimeoutMsMax} milliseconds`;
    return refusedHeader(rawHeaders, `the header Stream-Session-Timeout-Ms must be from ${bounds}`);
  }
  const settings = {
    autoCommit: autoCommit === 'true',
    autoCommitIntervalMs: Math.min(interval, intervalMsMax),
    offsetReset,
    sessionTimeoutMs,
  };
  return ok({ settings, strategy });
}

/** The generation that a caller has joined; null = not named. */
export function parseGeneration(rawHeaders: readonly string[]): Result<number | null> {
  const text = readLogOptions(rawHeaders).get('generation');
  if (text === undefined) return ok(null);
  return /^\d{1,15}$/.test(text)
    ? ok(Number(text))
    : refusedHeader(rawHeaders, 'the header Stream-Generation must be a number');
}

/** The id of the last answer that the client received; null = not named. */
export function parseReceived(rawHeaders: readonly string[]): Result<string | null> {
  const id = readLogOptions(rawHeaders).get('ack-id');
  if (id === undefined) return ok(null);
  return /^[\w-]{1,64}$/.test(id)
    ? ok(id)
    : refusedHeader(rawHeaders, 'the header Stream-Ack-Id must be the id of an answer, or none');
}

function requestOf(names: readonly string[], fields: JsonFields): Result<ConsumeRequest> {
  const topics = [...new Set(names)];
  if (topics.length === 0) return refused('topic or topics is missing');
  if (topics.length > topicsMax) return refused(`the request names more than ${topicsMax} topics`);
  const limits = parseReadLimits(fields);
  if (!limits.ok) return limits;
  const { timeoutMs, maxRecords, maxBytes } = limits.value;
  return ok({ topics, timeoutMs, maxRecords, maxBytes });
}

function milliseconds(text: string | undefined, standard: number): number | null {
  if (text === undefined) return standard;
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
