/**
 * A publish as it stands on the wire -> what a message is published with (messaging.md 3). The same
 * for a request, a batch item and a schedule.
 */
import { createHash } from 'node:crypto';
import type { TurnNames } from '../../engine/decider.js';
import { withDefaultHeaders, withoutHopHeaders } from '../../grammar/headers.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { withoutTrace } from '../../grammar/trace-context.js';
import {
  type Dialect,
  type MessageHeaders,
  type OptionHeaders,
  plainHeaders,
} from '../../http/dialect.js';
import type { MessagePublished } from '../messages/message.events.js';
import { readCallback } from './callback-options.js';
import { OptionReader, type PublishRules } from './option-reader.js';
import type { PublishTarget } from './publish-targets.js';

/** Where a request comes from, when, and its dialect if its headers do not say. */
export interface RequestContext {
  readonly at: number;
  readonly callerIp: string;
  readonly dialect: Dialect;
  /** For what it makes. */
  readonly names: TurnNames;
  /** Its trace, for the items of a batch that have none of their own; names and values in turn. */
  readonly trace?: readonly string[];
}

/** One publish as it came in, split from its transport. */
export interface PublishRequest {
  /** Raw, with its query (messaging.md 1.5). */
  readonly destination: string;
  /** All headers, names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly contentType: string | null;
  /** The trace that it belongs to, its own or that of its batch; names and values in turn. */
  readonly trace: readonly string[];
  readonly body: Buffer;
  /** The queue that the way in names, which wins over `Queue-Name`; null = it names none. */
  readonly queueName: string | null;
  /** This way in is for schedules: without a cron it is refused. */
  readonly mustRepeat: boolean;
  /** That of the whole request, which a batch shares. */
  readonly context: RequestContext;
}

/** That the message is published again and again instead of now. */
export interface ScheduleRequest {
  /** As written, trimmed: whether it is an expression, the schedule decides. */
  readonly cron: string;
  /** null = it wants a new id. */
  readonly id: string | null;
}

/** What one publish says, or why it is refused. */
export type PublishParsed =
  | {
      readonly ok: true;
      /** The event itself: no option of it is copied on its way to the journal. */
      readonly message: MessagePublished;
      /** null = the message is for now, or for once. */
      readonly schedule: ScheduleRequest | null;
    }
  | Refusal;

const deduplicationIdLengthMax = 1024;
const cronLengthMax = 512;

/** What the deduplication keys begin with that are made of what is published, its body included. */
export const contentKeyPrefix = 'content:';

/** Options of workflow runs, without those that name a run. */
const ofRuns = /^workflow-/;

/** Options that belong to one publish and its moment. */
const ofOnePublish = /^(cron|schedule-id|not-before|deduplication-id|content-based-deduplication)$/;

/** A body of GET has no meaning, and what stands between drops it: silence would lose it. */
const bodyOfGet = [
  'invalid',
  'method',
  'is GET, which carries no body: leave the body out or name another method',
] as const;

/**
 * Reads every option of one publish to `target`. `said` is what its headers say, and the options in
 * the destination's query.
 */
export function parsePublish(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): PublishParsed {
  const parsed = parseMessage(publish, target, said, rules);
  // What is published again and again is no part of the trace in which it was asked for.
  if (!parsed.ok || parsed.schedule !== null) return parsed;
  const { trace } = publish;
  if (trace.length === 0) return parsed;
  const { message, schedule } = parsed;
  const headers = withDefaultHeaders(message.headers, trace);
  return { ok: true, message: { ...message, headers }, schedule };
}

function parseMessage(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): PublishParsed {
  const { contentType, body, context } = publish;
  const { at, callerIp } = context;
  const reader = new OptionReader(said, rules);
  const headers = withoutHopHeaders(
    reader.flag('header-forward')
      ? withDefaultHeaders(said.forwarded, withoutTrace(plainHeaders(publish.rawHeaders)))
      : said.forwarded,
  );
  const schedule = readSchedule(reader, publish.mustRepeat);
  const delayMs = reader.delay();
  const maxRetries = reader.retries(rules.retries);
  const queueName = reader.name('queue-name');
  const inherited = { maxRetries, redaction: reader.redaction() };
  const callbackIn = (option: 'callback' | 'failure-callback', own: OptionHeaders | null) =>
    own === null && !said.options.has(option)
      ? null
      : readCallback(reader, option, own, inherited, rules);
  const message: MessagePublished = {
    type: 'MessagePublished',
    dialect: said.dialect.name,
    url: target.text,
    method: reader.method(),
    contentType,
    headers,
    notBefore: reader.notBefore(at) ?? at + delayMs,
    timeoutMs: reader.timeout(),
    maxRetries,
    retryDelay: reader.retryDelay(),
    labels: reader.labels(),
    flowControl: reader.flowControl(),
    deduplicationKey: deduplicationKey(reader, publish, target, headers),
    callerIp,
    bodyBytes: body.length,
    bodyOffset: null,
    redaction: inherited.redaction,
    callback: callbackIn('callback', said.callback),
    failureCallback: callbackIn('failure-callback', said.failureCallback),
    callbackOf: null,
    queueName: publish.queueName ?? queueName,
    topicName: null,
    endpointName: null,
    scheduleId: null,
    run: null,
  };
  if (message.method === 'GET' && body.length > 0) reader.refuse(...bodyOfGet);
  reader.refuseUnsendable(headers);
  reader.refuseOptions(ofRuns, 'means nothing without Workflow-RunId or Workflow-Init');
  return reader.refusal ?? { ok: true, message, schedule };
}

/**
 * Reads every option of messages that the server publishes later, one by one (a schedule, a
 * subscription). Each is published for itself, so no option may name a time or an identity.
 */
export function parseTemplate(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): PublishParsed {
  const reader = new OptionReader(said, rules);
  reader.refuseOptions(ofOnePublish, 'means nothing here');
  if (reader.method() === 'GET') reader.refuse(...bodyOfGet);
  return reader.refusal ?? parseMessage(publish, target, said, rules);
}

function readSchedule(reader: OptionReader, mustRepeat: boolean): ScheduleRequest | null {
  const cron = reader.read('cron', null, parseCronText);
  const id = reader.name('schedule-id');
  if (cron === null) {
    if (mustRepeat) reader.refuse('invalid', 'cron', 'is missing');
    if (id !== null) reader.refuse('invalid', 'cron', 'is missing, but a schedule id is there');
    return null;
  }
  reader.refuseOptions(/^not-before$/, 'means nothing for a schedule; it has Delay');
  reader.refuseOptions(deduplicating, 'means nothing for a schedule; all its messages are alike');
  return { cron, id };
}

/** Of a schedule it would drop what repeats within ten minutes. */
const deduplicating = /^(?:content-based-deduplication|deduplication-id)$/;

function parseCronText(text: string): Result<string> {
  return text.length > 0 && text.length <= cronLengthMax
    ? ok(text)
    : refused(`must have 1 to ${cronLengthMax} characters`);
}

function deduplicationKey(
  reader: OptionReader,
  publish: PublishRequest,
  target: PublishTarget,
  headers: readonly string[],
): string | null {
  const id = reader.read('deduplication-id', null, parseDeduplicationId);
  const byContent = reader.flag('content-based-deduplication');
  if (id !== null) return `id:${id}`;
  return byContent ? `${contentKeyPrefix}${contentDigest(publish, target, headers)}` : null;
}

function parseDeduplicationId(text: string): Result<string> {
  return text.length > 0 && text.length <= deduplicationIdLengthMax
    ? ok(text)
    : refused(`must have 1 to ${deduplicationIdLengthMax} characters`);
}

/**
 * The identity of a publish by content: destination, content type, forwarded headers and body.
 * Headers have no order, and their names no case: a proxy on the way may change both.
 */
function contentDigest(
  { contentType, body }: PublishRequest,
  { text: destination }: PublishTarget,
  headers: readonly string[],
): string {
  return createHash('sha256')
    .update(JSON.stringify([destination, contentType, withoutOrder(headers)]))
    .update(body)
    .digest('hex');
}

function withoutOrder(headers: readonly string[]): readonly string[][] {
  const pairs: string[][] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    pairs.push([(headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '']);
  }
  return pairs.sort(([one = ''], [other = '']) => (one < other ? -1 : one > other ? 1 : 0));
}
