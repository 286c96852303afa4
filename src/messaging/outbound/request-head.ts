/** The head of a delivery request: its headers (messaging.md 4.1) and their form. Pure. */
import { isHeaderName, isHeaderValue, withoutHopHeaders } from '../../grammar/headers.js';
import { type Refusal, refused } from '../../grammar/result.js';
import { sentOn } from '../../grammar/trace-context.js';

/** The contents of the headers of one attempt. */
export interface DeliveryWords {
  /** Prefix of the dialect of the message: `Svc-`. */
  readonly messagePrefix: string;
  readonly userAgent: string;
  readonly messageId: string;
  /** Attempts made before this one. */
  readonly retried: number;
  readonly signature: string;
  readonly callerIp: string;
  /** The schedule that published it; null = none. */
  readonly scheduleId: string | null;
  /** The URL group that it was published to; null = none. */
  readonly topicName: string | null;
  /** Verbatim as published; null = the message was published without one. */
  readonly contentType: string | null;
  /** The workflow run that the message belongs to; null = none. */
  readonly run: RunWords | null;
  /** Names and values in turn, as they are to arrive. */
  readonly forwarded: readonly string[];
  /** The span id of the attempt, which replaces that of a trace among `forwarded`. */
  readonly spanId: () => string;
}

/**
 * All headers as names and values in turn, except Host, Connection and Content-Length, which the
 * caller writes. The server's own headers replace forwarded headers of the same name in any case:
 * an SDK that relays its own inbound headers must not speak for the server. Only User-Agent may be
 * overridden.
 */
export function deliveryHeaders(words: DeliveryWords): string[] {
  const said = ownHeaders(words);
  const own = said.length;
  const forwarded = withoutHopHeaders(words.forwarded);
  let hasUserAgent = false;
  for (let index = 0; index + 1 < forwarded.length; index += 2) {
    const name = forwarded[index] ?? '';
    if (isNamed(said, own, name)) continue;
    hasUserAgent ||= isSame(name, 'user-agent');
    const value = forwarded[index + 1] ?? '';
    said.push(name, isSame(name, 'traceparent') ? sentOn(value, words.spanId()) : value);
  }
  if (!hasUserAgent) said.push('User-Agent', words.userAgent);
  return said;
}

/** Whether one of the first `length` names and values in turn has this name, in any case. */
function isNamed(pairs: readonly string[], length: number, name: string): boolean {
  for (let index = 0; index < length; index += 2) {
    if (isSame(pairs[index] ?? '', name)) return true;
  }
  return false;
}

/** Compares lengths first, because most names differ in length. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase();
}

/**
 * Asks for uncompressed bodies: they are captured as they come, and a compressed one would be
 * unreadable, or a bomb.
 */
function ownHeaders(words: DeliveryWords): string[] {
  const { messagePrefix: prefix, scheduleId, topicName, contentType } = words;
  const names = namesOf(prefix);
  const own = [
    names.messageId,
    words.messageId,
    names.retried,
    String(words.retried),
    names.signature,
    words.signature,
    names.callerIp,
    words.callerIp,
    'Accept-Encoding',
    'identity',
  ];
  if (scheduleId !== null) own.push(`${prefix}Schedule-Id`, scheduleId);
  if (topicName !== null) own.push(`${prefix}Topic-Name`, topicName);
  if (contentType !== null) own.push('Content-Type', contentType);
  if (words.run !== null) own.push(...runHeaders(words.run, prefix));
  return own;
}

/**
 * The header names of deliveries in one dialect, one shared string each, so that checked names are
 * recognised quickly.
 */
interface OwnNames {
  readonly prefix: string;
  readonly messageId: string;
  readonly retried: string;
  readonly signature: string;
  readonly callerIp: string;
  readonly runId: string;
  readonly runUrl: string;
  readonly runCreatedAt: string;
  readonly runInit: string;
  readonly sdkVersion: string;
  readonly callType: string;
}

/** One entry per dialect. */
const ownNames: OwnNames[] = [];

function namesOf(prefix: string): OwnNames {
  const known = ownNames.find((names) => names.prefix === prefix);
  if (known !== undefined) return known;
  const names = {
    prefix,
    messageId: `${prefix}Message-Id`,
    retried: `${prefix}Retried`,
    signature: `${prefix}Signature`,
    callerIp: `${prefix}Caller-Ip`,
    runId: `${prefix}Workflow-RunId`,
    runUrl: `${prefix}Workflow-Url`,
    runCreatedAt: `${prefix}Workflow-CreatedAt`,
    runInit: `${prefix}Workflow-Init`,
    sdkVersion: `${prefix}Workflow-Sdk-Version`,
    callType: `${prefix}Workflow-CallType`,
  };
  ownNames.push(names);
  return names;
}

/** The only version of the protocol; SDKs refuse any other. */
export const protocolVersion = '1';

const callTypes = { callResult: 'fromCallback', failureCallback: 'failureCall' } as const;

/** What the headers of a delivery say about its workflow run. */
export interface RunWords {
  /** What the delivery brings to the endpoint of the run; `call` = it goes to a third party. */
  readonly role: 'step' | 'call' | 'callResult' | 'failureCallback';
  readonly runId: string;
  readonly url: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The index of the entry that the message was published for. */
  readonly entry: number;
}

/**
 * The headers of a run, names and values in turn. A third party gets none. Only a step carries the
 * version of the protocol: SDKs take its absence to mean that the body is not a list of entries.
 */
export function runHeaders(run: RunWords, prefix: string): readonly string[] {
  const { role, runId, url, createdAt, entry } = run;
  if (role === 'call') return [];
  const isInit = role === 'step' && entry === 0;
  const names = namesOf(prefix);
  const said = [
    names.runId,
    runId,
    names.runUrl,
    url,
    names.runCreatedAt,
    String(createdAt),
    names.runInit,
    String(isInit),
  ];
  if (role === 'step') said.push(names.sdkVersion, protocolVersion);
  else said.push(names.callType, callTypes[role]);
  return said;
}

/** A complete request, ready to be sent. */
export interface WireRequest {
  readonly method: string;
  /** Request line and fields, including the final empty line; its characters are bytes. */
  readonly head: string;
  /** null = no body is sent. */
  readonly body: Buffer | null;
}

/** Header names that were checked and can be sent: most deliveries use the same few. */
const sendable = new Set<string>();
const sendableMax = 1000;
/** Longer names are checked each time. */
const keptNameMax = 100;

function isSendable(name: string): boolean {
  if (sendable.has(name)) return true;
  if (!isHeaderName(name)) return false;
  if (name.length > keptNameMax) return true;
  if (sendable.size >= sendableMax) sendable.clear();
  sendable.add(name);
  return true;
}

/** With these methods even an empty body has a Content-Length (RFC 9110, 8.6). */
const expectsBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * A request as it is written to a connection (RFC 9112). `headers` are names and values in turn,
 * without Host, Connection and Content-Length, which are added here. Names and values that no
 * header can carry are refused, so that one header cannot become two.
 */
export function wireRequest(
  { host }: Pick<URL, 'host'>,
  target: string,
  method: string,
  headers: readonly string[],
  body: Buffer | null,
): WireRequest | Refusal {
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n`;
  head += 'connection: keep-alive\r\n';
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (!isSendable(name)) return refused('a header has a name that cannot be sent');
    if (!isHeaderValue(value)) return refused(`the header ${name} has a value that cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  const length = body?.length ?? 0;
  if (length > 0 || expectsBody.has(method)) head += `content-length: ${length}\r\n`;
  return { method, head: `${head}\r\n`, body: length > 0 ? body : null };
}
