/** Turns the records of a topic into the messages of a subscription. Pure. */
import type { LogRecord, RecordHeader } from '../../../storage/format/record.js';
import type { TurnNames } from '../../engine/decider.js';
import { isHeaderName, isHeaderValue, withDefaultHeaders } from '../../grammar/headers.js';
import { dialects, optionOf, readLogOptions } from '../../http/dialect.js';
import type { PublishMessage } from '../../messaging/messages/message.commands.js';
import { type MessagePublished, messageKind } from '../../messaging/messages/message.events.js';
import type { MessageTargets } from '../../messaging/url-groups/message-targets.js';
import { type RecordPlace, recordText } from '../records/record-text.js';
import type { SubscriptionDefinition } from '../subscriptions/subscription.events.js';

/** The content of one message, which is the same for every destination. */
export interface RecordsContent {
  readonly body: Buffer;
  /** null = only the headers of the subscription can set it. */
  readonly contentType: string | null;
  /**
   * Headers of the records, alternating names and values; the subscription's own headers override
   * them.
   */
  readonly headers: readonly string[];
  /**
   * The server's own headers with the place of the records, alternating names and values; they
   * override all others.
   */
  readonly place: readonly string[];
  readonly records: number;
}

/**
 * The message of a single record: the body is its value, byte for byte. Its headers are added,
 * except those that HTTP cannot carry and those that pretend to be the server's own.
 */
export function recordContent(
  record: LogRecord,
  place: RecordPlace,
  { message }: SubscriptionDefinition,
): RecordsContent {
  const { logPrefix } = dialects[message.dialect];
  const { timestamp, key, value } = record;
  const pairs = record.headers.flatMap((header) => headerPair(header) ?? []);
  const own = [...placePairs(logPrefix, place, record), `${logPrefix}Timestamp`, `${timestamp}`];
  if (key !== null) own.push(`${logPrefix}Key`, percentEncoded(key));
  if (value === null) own.push(`${logPrefix}Tombstone`, 'true');
  return {
    // A copy, because the value is a view of the whole buffer that was read, which would be
    // retained.
    body: Buffer.from(value ?? []),
    contentType: null,
    headers: withDefaultHeaders(pairs, ['Content-Type', 'application/octet-stream']),
    place: own,
    records: 1,
  };
}

/**
 * The message of several records: a JSON array of as many as fit into `bytesMax`, at least the
 * first.
 */
export function batchContent(
  records: readonly [LogRecord, ...LogRecord[]],
  place: RecordPlace,
  { message, encoding }: SubscriptionDefinition,
  bytesMax: number,
): RecordsContent {
  const texts: string[] = [];
  let bytes = 1;
  for (const record of records) {
    const text = recordText(record, place, encoding);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > bytesMax) break;
    texts.push(text);
  }
  const { logPrefix } = dialects[message.dialect];
  const own = placePairs(logPrefix, place, records[0]);
  if (encoding !== 'text') own.push(`${logPrefix}Encoding`, encoding);
  return {
    body: Buffer.from(`[${texts.join(',')}]`),
    contentType: 'application/json',
    headers: [],
    place: own,
    records: texts.length,
  };
}

/** Makes one message for each endpoint; the body is stored only once. */
export function recordMessages(
  content: RecordsContent,
  { groupName, message: template }: SubscriptionDefinition,
  { endpoints, headers: ofGroup }: Extract<MessageTargets, { ok: true }>,
  at: number,
  names: TurnNames,
): PublishMessage[] {
  const given = withDefaultHeaders(template.headers, ofGroup);
  const headers = withDefaultHeaders(content.place, withDefaultHeaders(given, content.headers));
  // Names every field, because a spread after other fields would copy them one by one (ADR 106).
  const message: MessagePublished = {
    type: 'MessagePublished',
    dialect: template.dialect,
    url: '',
    method: template.method,
    contentType: content.contentType,
    headers,
    notBefore: at + template.delayMs,
    timeoutMs: template.timeoutMs,
    maxRetries: template.maxRetries,
    retryDelay: template.retryDelay,
    labels: template.labels,
    flowControl: template.flowControl,
    deduplicationKey: template.deduplicationKey,
    callerIp: template.callerIp,
    bodyBytes: content.body.length,
    bodyOffset: null,
    redaction: template.redaction,
    callback: template.callback,
    failureCallback: template.failureCallback,
    callbackOf: null,
    queueName: template.queueName,
    topicName: groupName,
    endpointName: null,
    scheduleId: null,
    run: null,
  };
  const ids = endpoints.map(() => names.next('msg'));
  const [first = ''] = ids;
  return endpoints.map(({ url, name }, index) => ({
    type: 'PublishMessage',
    kind: messageKind,
    id: ids[index] ?? first,
    at,
    message: { ...message, url, endpointName: name },
    body: content.body,
    sharesBodyWith: index === 0 ? null : first,
  }));
}

function placePairs(prefix: string, { topic, partition }: RecordPlace, { offset }: LogRecord) {
  const words = { Topic: topic, Partition: `${partition}`, Offset: `${offset}` };
  return Object.entries(words).flatMap(([name, value]) => [`${prefix}${name}`, value]);
}

/**
 * Bytes above ASCII stay unchanged: on the wire, the value of a header is bytes (RFC 9110, 5.5).
 */
function headerPair({ name, value }: RecordHeader): [string, string] | null {
  const text = value?.toString('latin1') ?? '';
  return isHeaderName(name) && isHeaderValue(text) && !isOurs(name) ? [name, text] : null;
}

/** Whether a header is one of the server's own, in any dialect. */
function isOurs(name: string): boolean {
  return optionOf(name) !== null || readLogOptions([name, '']).size > 0;
}

/** Keeps visible ASCII, and percent-encodes every other byte and the percent sign. */
function percentEncoded(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\x21-\x24\x26-\x7e]/g, (byte) => {
    const hex = byte.charCodeAt(0).toString(16).toUpperCase();
    return `%${hex.padStart(2, '0')}`;
  });
}
