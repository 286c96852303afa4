/**
 * Turns a publish from the wire into the options of a message (messaging.md 3). It is the same for
 * a request, a batch item and a schedule.
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

/** Where and when a request came in, and the dialect to use if its headers do not name one. */
export interface RequestContext {
  readonly at: number;
  readonly callerIp: string;
  readonly dialect: Dialect;
  /** Generates the ids of what the request creates. */
  readonly names: TurnNames;
  /** The trace of a batch, for items that have none of their own; names and values in turn. */
  readonly trace?: readonly string[];
}

/** One publish, independent of how it was transported. */
export interface PublishRequest {
  /** Raw, with its query (messaging.md 1.5). */
  readonly destination: string;
  /** All headers, names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly contentType: string | null;
  /** The trace of the publish, its own or that of its batch; names and values in turn. */
  readonly trace: readonly string[];
  readonly body: Buffer;
  /**
   * The queue that the route or the batch item names, which wins over `Queue-Name`; null = none.
   */
  readonly queueName: string | null;
  /** The route is for schedules: a publish without a cron is refused. */
  readonly mustRepeat: boolean;
  /** The context of the whole request, which the items of a batch share. */
  readonly context: RequestContext;
}

/** Says that the message is published repeatedly instead of now. */
export interface ScheduleRequest {
  /** The text as written, trimmed. The schedule checks whether it is a valid expression. */
  readonly cron: string;
  /** null = a new id is to be generated. */
  readonly id: string | null;
}

/** The content of one publish, or why it is refused. */
export type PublishParsed =
  | {
      readonly ok: true;
      /** The event itself, so that no option is copied on the way to the journal. */
      readonly message: MessagePublished;
      /** null = the message is published once. */
      readonly schedule: ScheduleRequest | null;
    }
  | Refusal;

const deduplicationIdLengthMax = 1024;
const cronLengthMax = 512;

/** Prefix of deduplication keys that are derived from the published content, including its body. */
export const contentKeyPrefix = 'content:';

/** Options of workflow runs. They mean nothing unless other options name a run. */
const ofRuns = /^workflow-/;

/** Options that apply to a single publish at a given moment. */
const ofOnePublish = /^(cron|schedule-id|not-before|deduplication-id|content-based-deduplication)$/;

/** A GET body has no meaning and intermediaries drop it, so it is refused, not silently lost. */
const bodyOfGet = [
  'invalid',
  'method',
  'is GET, which carries no body: leave the body out or name another method',
] as const;

/**
 * Reads every option of one publish to `target`. `said` holds the options from its headers and from
 * the query of its destination.
 */
export function parsePublish(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): PublishParsed {
  const parsed = parseMessage(publish, target, said, rules);
  // Messages of a schedule do not belong to the trace of the request that created the schedule.
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
  const { prefix } = said;
  const ofRun = `${prefix}Workflow-RunId or ${prefix}Workflow-Init`;
  reader.refuseOptions(ofRuns, `means nothing without ${ofRun}`);
  return reader.refusal ?? { ok: true, message, schedule };
}

/**
 * Reads every option of messages that the server publishes later, one by one (for a schedule or a
 * subscription). Each message is a publish of its own, so no option may set a time or an identity.
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
  reader.refuseOptions(/^not-before$/, 'means nothing for a schedule; give a delay instead');
  reader.refuseOptions(deduplicating, 'means nothing for a schedule; all its messages are alike');
  return { cron, id };
}

/** On a schedule, these options would drop every message that repeats within ten minutes. */
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
 * Identifies a publish by its content: destination, content type, forwarded headers and body. The
 * order of headers and the case of their names do not count: a proxy on the way may change both.
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
