/**
 * A publish as it stands on the wire -> what a message is published with (messaging protocol 4.1,
 * spec: header tables). Every option that is there must parse: a typo never means the default.
 */
import { createHash } from 'node:crypto';
import { parseFlowControlValue } from '../flow-control/flow-control-value.js';
import type { OptionHeaders } from '../http/dialect.js';
import { type Parsed, parsed, refused } from '../http/parsed.js';
import { parseDuration, parseTimeout } from '../messages/duration.js';
import type { FlowControlOptions, MessagePublished } from '../messages/message.events.js';
import { parseRetryDelay } from '../messages/retry-delay.js';

/** What the server grants (configuration: retries, maxima, timeout). */
export interface PublishLimits {
  readonly retries: number;
  readonly retriesMax: number;
  readonly delayMaxMs: number;
  readonly timeoutMs: number;
}

/** Why a publish is refused: a bad value, or a good one above what the server grants. */
export type Refusal = { readonly code: 'invalid' | 'over_limit'; readonly message: string };

export type PublishParsed =
  | { readonly ok: true; readonly message: Omit<MessagePublished, 'type'> }
  | { readonly ok: false; readonly refusal: Refusal };

/** One publish, split from its transport: the same for a request and for a batch item. */
export interface PublishInput {
  readonly url: string;
  readonly headers: OptionHeaders;
  readonly contentType: string | null;
  /** What `Header-Forward: true` adds, names and values in turn. */
  readonly plainHeaders: () => readonly string[];
  readonly body: Buffer;
  readonly callerIp: string;
  readonly at: number;
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const nameGrammar = /^[A-Za-z0-9._-]{1,256}$/;
/** RFC 9110, 5.1 and 5.5: a token; visible characters, blanks and bytes above ASCII. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const labelsMax = 32;
const deduplicationIdLengthMax = 1024;

/**
 * Options of the protocol that this server does not carry out: silence would lose what they ask
 * for.
 */
const notCarriedOut =
  /^(callback|failure-callback)(-|$)|^(redact-fields|cron|schedule-id|queue-name|workflow-.*)$/;

/** Reads every option of one publish. */
export function parsePublish(input: PublishInput, limits: PublishLimits): PublishParsed {
  const reader = new OptionReader(input.headers, limits);
  const headers =
    reader.flag('header-forward') === true
      ? [...input.plainHeaders(), ...input.headers.forwarded]
      : input.headers.forwarded;
  const message: Omit<MessagePublished, 'type'> = {
    dialect: input.headers.dialect.name,
    url: input.url,
    method: reader.method(),
    contentType: input.contentType,
    headers,
    notBefore: reader.notBefore(input.at),
    timeoutMs: reader.timeout(),
    maxRetries: reader.retries(),
    retryDelay: reader.retryDelay(),
    labels: reader.labels(),
    flowControl: reader.flowControl(),
    deduplicationKey: reader.deduplicationKey(input, headers),
    callerIp: input.callerIp,
    bodyBytes: input.body.length,
    bodyOffset: null,
    redaction: null,
    callback: null,
    failureCallback: null,
    callbackOf: null,
    queueName: null,
    topicName: null,
    endpointName: null,
    scheduleId: null,
  };
  reader.refuseUnsendable(headers);
  reader.refuseWhatIsNotCarriedOut();
  return reader.refusal === null ? { ok: true, message } : { ok: false, refusal: reader.refusal };
}

/** Reads option after option and remembers the first refusal, with the header's name in it. */
class OptionReader {
  refusal: Refusal | null = null;

  constructor(
    private readonly headers: OptionHeaders,
    private readonly limits: PublishLimits,
  ) {}

  method(): string {
    return this.read('method', 'POST', (text) => {
      const method = text.toUpperCase();
      return methods.has(method)
        ? parsed(method)
        : refused('must be GET, POST, PUT, PATCH or DELETE');
    });
  }

  notBefore(at: number): number {
    const delayMs = this.read('delay', 0, parseDuration);
    const seconds = this.read('not-before', null, (text) => integer(text, 'Unix seconds'));
    const notBefore = seconds === null ? at + delayMs : Math.max(at, seconds * 1000);
    if (notBefore - at > this.limits.delayMaxMs) {
      const option = seconds === null ? 'delay' : 'not-before';
      this.refuse('over_limit', option, 'is further away than this server allows');
    }
    return notBefore;
  }

  timeout(): number | null {
    const timeoutMs = this.read('timeout', null, parseTimeout);
    if (timeoutMs === null) return null;
    return Math.min(timeoutMs, this.limits.timeoutMs);
  }

  retries(): number {
    const retries = this.read('retries', this.limits.retries, (text) => integer(text, 'retries'));
    if (retries > this.limits.retriesMax) {
      this.refuse('over_limit', 'retries', `must be at most ${this.limits.retriesMax}`);
    }
    return retries;
  }

  retryDelay(): string | null {
    return this.read('retry-delay', null, (text) => {
      const expression = parseRetryDelay(text);
      return expression.ok ? parsed(text) : expression;
    });
  }

  labels(): readonly string[] {
    return this.read<readonly string[]>('label', noLabels, parseLabels);
  }

  flowControl(): FlowControlOptions | null {
    const key = this.read('flow-control-key', null, parseName);
    const value = this.read('flow-control-value', null, parseFlowControlValue);
    if (key === null && value === null) return null;
    if (key === null || value === null) {
      const missing = key === null ? 'flow-control-key' : 'flow-control-value';
      this.refuse('invalid', missing, 'is missing: key and value go together');
      return null;
    }
    return { key, ...value };
  }

  flag(name: string): boolean | null {
    return this.read<boolean | null>(name, null, (text) => {
      const value = text.toLowerCase();
      return value === 'true' || value === 'false'
        ? parsed(value === 'true')
        : refused('must be true or false');
    });
  }

  deduplicationKey(input: PublishInput, headers: readonly string[]): string | null {
    const id = this.read('deduplication-id', null, (text) =>
      text.length > 0 && text.length <= deduplicationIdLengthMax
        ? parsed(text)
        : refused(`must have 1 to ${deduplicationIdLengthMax} characters`),
    );
    const byContent = this.flag('content-based-deduplication') === true;
    if (id !== null) return `id:${id}`;
    return byContent ? `content:${contentDigest(input, headers)}` : null;
  }

  /** A query option is decoded text and may hold what no header can: a line break, for one. */
  refuseUnsendable(headers: readonly string[]): void {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = headers[index] ?? '';
      if (!headerName.test(name)) this.refuse('invalid', 'forward', 'names what is no header name');
      else if (!headerValue.test(headers[index + 1] ?? '')) {
        this.refuse('invalid', `forward-${name}`, 'has a value that no header can carry');
      }
    }
  }

  refuseWhatIsNotCarriedOut(): void {
    for (const name of this.headers.options.keys()) {
      if (notCarriedOut.test(name)) this.refuse('invalid', name, 'is not supported by this server');
    }
  }

  private read<T>(name: string, otherwise: T, parse: (text: string) => Parsed<T>): T {
    const text = this.headers.options.get(name);
    if (text === undefined) return otherwise;
    const value = parse(text.trim());
    if (value.ok) return value.value;
    this.refuse('invalid', name, value.reason);
    return otherwise;
  }

  private refuse(code: Refusal['code'], name: string, reason: string): void {
    const header = `${this.headers.dialect.messagePrefix}${titleCase(name)}`;
    this.refusal ??= { code, message: `${header} ${reason}` };
  }
}

const noLabels: readonly string[] = [];

function parseLabels(text: string): Parsed<readonly string[]> {
  const labels = text.split(',').map((label) => label.trim());
  if (labels.length > labelsMax) return refused(`names more than ${labelsMax} labels`);
  for (const label of labels) {
    const name = parseName(label);
    if (!name.ok) return name;
  }
  return parsed(labels);
}

function parseName(text: string): Parsed<string> {
  return nameGrammar.test(text)
    ? parsed(text)
    : refused('must have 1 to 256 letters, digits, "-", "_" or "."');
}

function integer(text: string, what: string): Parsed<number> {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? parsed(value) : refused(`must be a whole number of ${what}`);
}

/** The identity of a publish by content: destination, content type, forwarded headers and body. */
function contentDigest(input: PublishInput, headers: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([input.url, input.contentType, headers]))
    .update(input.body)
    .digest('hex');
}

function titleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
