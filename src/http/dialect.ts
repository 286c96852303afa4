/** The only file that knows how clients spell things: prefixes, issuer, user agent, parameters. */

import { ok, type Result, refused } from '../grammar/result.js';
import { version } from '../grammar/version.js';
import { withoutCredentials } from './own-credentials.js';

/** The name of a dialect, as configuration and events spell it. */
export type DialectName = 'svc' | 'upstash';

/** The spellings of one family of clients. */
export interface Dialect {
  readonly name: DialectName;
  /** Prefix of message and workflow headers as they are sent: `Svc-`. */
  readonly messagePrefix: string;
  /** Prefix of the log interface's headers: `Stream-`. */
  readonly logPrefix: string;
  /** `iss` of delivery signatures. */
  readonly issuer: string;
  /** `User-Agent` of deliveries. */
  readonly userAgent: string;
  /** Query parameter that may carry the bearer token. */
  readonly tokenParameter: string;
}

/** All dialects; each is always understood on input. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  svc: {
    name: 'svc',
    messagePrefix: 'Svc-',
    logPrefix: 'Stream-',
    issuer: 'stepwell',
    userAgent: `Stepwell/${version}`,
    tokenParameter: 'token',
  },
  upstash: {
    name: 'upstash',
    messagePrefix: 'Upstash-',
    logPrefix: 'Kafka-',
    issuer: 'Upstash',
    userAgent: 'Upstash-QStash',
    tokenParameter: 'qstash_token',
  },
};

/** The query parameters that may carry a bearer token. */
export const tokenParameters: readonly string[] = Object.values(dialects).map(
  (dialect) => dialect.tokenParameter,
);

/** The option headers of one message, in whatever dialect each was written. */
export interface OptionHeaders {
  /** The prefix of the names, to name an option to its client: `Svc-`, `Svc-Callback-`. */
  readonly prefix: string;
  /** Values by option name, in lower case without its prefix (`retry-delay`). */
  readonly options: ReadonlyMap<string, string>;
  /** Names and values in turn of `Svc-Forward-<Name>`, in their order and case, prefix removed. */
  readonly forwarded: readonly string[];
}

/** The options of a message, and those of the messages that report on it. */
export interface MessageHeaders extends OptionHeaders {
  /** The dialect of the first option header, or the configured one if there is none. */
  readonly dialect: Dialect;
  /** `Svc-Callback-<option>` is the `<option>` of the callback; null = it has none of its own. */
  readonly callback: OptionHeaders | null;
  /** Likewise `Svc-Failure-Callback-<option>`. */
  readonly failureCallback: OptionHeaders | null;
}

interface Prefix {
  readonly text: string;
  readonly dialect: Dialect;
}

const messagePrefixes = Object.values(dialects).map((dialect) =>
  prefixOf(dialect, 'messagePrefix'),
);
const logPrefixes = Object.values(dialects).map((dialect) => prefixOf(dialect, 'logPrefix'));
const forward = 'forward-';
const callback = 'callback-';
const failureCallback = 'failure-callback-';
/** What clients report about themselves; never stored, never forwarded (messaging.md 1.1). */
const telemetry = 'telemetry-';

/**
 * Reads the message options (`Svc-*`, `Upstash-*`) from names and values in turn: a request's
 * `rawHeaders`, a batch item's headers, or either followed by the pairs of `readQueryOptions`.
 * Repeated names are joined with `, ` (messaging.md 3.1). Values are not checked here.
 */
export function readMessageOptions(pairs: readonly string[], standard: Dialect): MessageHeaders {
  let dialect: Dialect | undefined;
  const own = new OptionSet();
  let toCallback: OptionSet | null = null;
  let toFailureCallback: OptionSet | null = null;
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const header = pairs[index] ?? '';
    const prefix = prefixIn(messagePrefixes, header);
    if (prefix === undefined) continue;
    dialect ??= prefix.dialect;
    const name = header.slice(prefix.text.length);
    const option = name.toLowerCase();
    const value = pairs[index + 1] ?? '';
    if (belongsTo(option, callback)) {
      toCallback ??= new OptionSet();
      toCallback.add(name.slice(callback.length), option.slice(callback.length), value);
    } else if (belongsTo(option, failureCallback)) {
      toFailureCallback ??= new OptionSet();
      const { length } = failureCallback;
      toFailureCallback.add(name.slice(length), option.slice(length), value);
    } else {
      own.add(name, option, value);
    }
  }
  const spoken = dialect ?? standard;
  const { messagePrefix } = spoken;
  return {
    dialect: spoken,
    prefix: messagePrefix,
    options: own.options,
    forwarded: own.forwarded,
    callback: optionsOf(toCallback, messagePrefix, 'Callback-'),
    failureCallback: optionsOf(toFailureCallback, messagePrefix, 'Failure-Callback-'),
  };
}

/** The dialect of the first option header; `standard` if there is none. */
export function dialectOf(pairs: readonly string[], standard: Dialect): Dialect {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const prefix = prefixIn(messagePrefixes, pairs[index] ?? '');
    if (prefix !== undefined) return prefix.dialect;
  }
  return standard;
}

/** The option that a header names in any dialect (`Svc-Retried` -> `retried`); null = none. */
export function optionOf(header: string): string | null {
  const prefix = prefixIn(messagePrefixes, header);
  return prefix === undefined ? null : header.slice(prefix.text.length).toLowerCase();
}

/** Whether a header is one of ours, in any dialect: an option, or one that the server sends. */
export function isOwnHeader(name: string): boolean {
  return (
    prefixIn(messagePrefixes, name) !== undefined ||
    prefixIn(logPrefixes, name) !== undefined ||
    name.toLowerCase().startsWith('stepwell-')
  );
}

/** Reads the options of the log interface (`Stream-*`, `Kafka-*`): values by lower-case name. */
export function readLogOptions(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const prefix = prefixIn(logPrefixes, name);
    if (prefix === undefined) continue;
    addOption(options, name.slice(prefix.text.length).toLowerCase(), rawHeaders[index + 1] ?? '');
  }
  return options;
}

/**
 * The headers that `Svc-Header-Forward: true` adds to a delivery, names and values in turn: all
 * except options and the caller's credentials. Those of the hop (Host, Connection) are still
 * included.
 */
export function plainHeaders(rawHeaders: readonly string[]): readonly string[] {
  const plain = new HeaderPairs();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (prefixIn(messagePrefixes, name) !== undefined) continue;
    plain.add(name, rawHeaders[index + 1] ?? '');
  }
  return withoutCredentials(plain.pairs, true);
}

/** The most parameters of a destination's query that may be a token. */
const tokensMax = 16;

/** The query of a destination itself, and the options that were between its parameters. */
export interface QueryOptions {
  /** Names and values in turn, to be appended to the `rawHeaders` of a request. */
  readonly pairs: readonly string[];
  /** The rest of the query, byte for byte, without `?`. */
  readonly rest: string;
}

/**
 * Removes the options (`svc-retries=3`, `upstash-forward-x=1`) and this server's token from the
 * query of a destination (messaging.md 3.8). `isOwnToken` tells that token from a parameter of the
 * same name that belongs to the destination. Refuses an option that is not percent-encoded UTF-8.
 */
export function readQueryOptions(
  query: string,
  isOwnToken: (value: string) => boolean,
): Result<QueryOptions> {
  if (query === '') return ok({ pairs: [], rest: '' });
  const pairs: string[] = [];
  const rest: string[] = [];
  let tokens = 0;
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : decodeQueryValue(part.slice(equals + 1));
    if (isOptionParameter(name)) {
      if (value === undefined) return refused(`the query option ${name} is not valid UTF-8`);
      pairs.push(name, value);
    } else if (!tokenParameters.includes(name) || value === undefined) {
      rest.push(part);
    } else {
      tokens += 1;
      // Each is hashed.
      if (tokens > tokensMax) return refused(`the query has more than ${tokensMax} tokens`);
      if (!isOwnToken(value)) rest.push(part);
    }
  }
  return ok({ pairs, rest: rest.join('&') });
}

/** Decodes a query value; undefined if it is not valid percent-encoded UTF-8. */
export function decodeQueryValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function prefixOf(dialect: Dialect, kind: 'messagePrefix' | 'logPrefix'): Prefix {
  return { text: dialect[kind].toLowerCase(), dialect };
}

/** The first letter rules out nearly every header before anything is allocated. */
function prefixIn(prefixes: readonly Prefix[], name: string): Prefix | undefined {
  const first = name.charCodeAt(0) | 0x20;
  for (const prefix of prefixes) {
    const { text } = prefix;
    if (first !== text.charCodeAt(0) || name.length <= text.length) continue;
    if (name.slice(0, text.length).toLowerCase() === text) return prefix;
  }
  return undefined;
}

/** Only lower-case names are options: a destination keeps its own `Svc-...` parameters. */
function isOptionParameter(name: string): boolean {
  return messagePrefixes.some(({ text }) => name.length > text.length && name.startsWith(text));
}

function belongsTo(option: string, family: string): boolean {
  return option.length > family.length && option.startsWith(family);
}

/** Collects the options of one message. */
class OptionSet {
  readonly options = new Map<string, string>();
  private pairs: HeaderPairs | null = null;

  /** `option` is `name` in lower case; a forwarded header keeps its case. */
  add(name: string, option: string, value: string): void {
    if (belongsTo(option, forward)) {
      this.pairs ??= new HeaderPairs();
      this.pairs.add(name.slice(forward.length), value);
    } else if (!option.startsWith(telemetry)) {
      addOption(this.options, option, value);
    }
  }

  get forwarded(): readonly string[] {
    return this.pairs === null ? noPairs : this.pairs.pairs;
  }
}

function optionsOf(set: OptionSet | null, prefix: string, family: string): OptionHeaders | null {
  if (set === null) return null;
  return { prefix: prefix + family, options: set.options, forwarded: set.forwarded };
}

const noPairs: readonly string[] = [];

function addOption(options: Map<string, string>, name: string, value: string): void {
  const earlier = options.get(name);
  options.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
}

/** Names and values in turn, in order of arrival; a repeated name joins its first appearance. */
class HeaderPairs {
  readonly pairs: string[] = [];
  /** The index of each name's value, so that a thousand names cost a thousand steps. */
  readonly #positions = new Map<string, number>();

  add(name: string, value: string): void {
    const key = name.toLowerCase();
    const position = this.#positions.get(key);
    if (position === undefined) {
      this.#positions.set(key, this.pairs.push(name, value) - 1);
    } else {
      this.pairs[position] = `${this.pairs[position]}, ${value}`;
    }
  }
}
