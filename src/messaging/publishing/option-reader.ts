/**
 * Reads the options of one message or callback, one by one (messaging.md 3.1). Every option that is
 * present must parse: a typo never silently means the default.
 */

import { parseDuration, parseTimeout } from '../../grammar/duration.js';
import { parseFlowControlValue } from '../../grammar/flow-control-value.js';
import { isHeaderName, isHeaderValue, titleCase } from '../../grammar/headers.js';
import { parseName } from '../../grammar/name.js';
import { parseRedaction, type Redaction } from '../../grammar/redaction-fields.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { parseNewRetryDelay } from '../../grammar/retry-delay.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import type { FlowControlOptions } from '../messages/message.events.js';

/** The limits of the server (from its configuration), and where it lets messages go. */
export interface PublishRules {
  /** Retries (attempts after the first) of a message that does not name a number. */
  readonly retries: number;
  readonly retriesMax: number;
  readonly delayMaxMs: number;
  /** The longest an attempt may take. */
  readonly timeoutMs: number;
  /** Returns an absolute URL as it will be called; a refusal completes "`<header>` ...". */
  readonly judgeUrl: (text: string) => Result<string>;
}

/** Every message option that this server reads. */
export const readOptions: readonly string[] = [
  ...['method', 'delay', 'not-before', 'timeout', 'retries', 'retry-delay', 'label'],
  ...['deduplication-id', 'content-based-deduplication', 'header-forward', 'redact-fields'],
  ...['callback', 'failure-callback', 'flow-control-key', 'flow-control-value'],
  ...['queue-name', 'cron', 'schedule-id'],
];
/** Options of deliveries and endpoints: an endpoint that relays its own headers returns them. */
const relayedOptions: readonly string[] = [
  ...['feature-set', 'message-id', 'retried', 'signature', 'caller-ip', 'region', 'topic-name'],
  ...['error-step-name', 'nonretryable-error'],
];
const known: ReadonlySet<string> = new Set([...readOptions, ...relayedOptions]);
/** Option families with a reader of their own, which reports their errors. */
const otherFamilies = /^(?:workflow|callback|failure-callback)-/;

/**
 * Whether no reader handles an option. `unknownOptions` suggests what its sender may have meant.
 */
export function isUnknown(option: string): boolean {
  return !known.has(option) && !otherFamilies.test(option);
}

/** Whether any option of a message or of its callbacks is unknown. */
export function hasUnknown(said: MessageHeaders): boolean {
  const { callback, failureCallback } = said;
  return namesUnknown(said) || namesUnknown(callback) || namesUnknown(failureCallback);
}

function namesUnknown(said: OptionHeaders | null): boolean {
  if (said === null) return false;
  for (const option of said.options.keys()) if (isUnknown(option)) return true;
  return false;
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const labelsMax = 32;
const noLabels: readonly string[] = [];

/** Reads option after option and remembers the first refusal, with the header's name in it. */
export class OptionReader {
  refusal: Refusal | null = null;

  constructor(
    private readonly headers: OptionHeaders,
    private readonly rules: PublishRules,
  ) {}

  /** The method to deliver with; POST if not given. */
  method(): string {
    return this.read('method', 'POST', parseMethod);
  }

  /** The delay in milliseconds; 0 if not given. */
  delay(): number {
    const delayMs = this.read('delay', 0, parseDuration);
    if (delayMs > this.rules.delayMaxMs) {
      this.refuse('over_limit', 'delay', `must be at most ${this.delayMax}`);
    }
    return delayMs;
  }

  /** Unix milliseconds, never before `at`; null = not given. */
  notBefore(at: number): number | null {
    const seconds = this.read('not-before', null, parseSeconds);
    if (seconds === null) return null;
    const notBefore = Math.max(at, seconds * 1000);
    if (notBefore - at > this.rules.delayMaxMs) {
      const reason = `must be Unix seconds, at most ${this.delayMax} from now`;
      this.refuse('over_limit', 'not-before', reason);
    }
    return notBefore;
  }

  /** The timeout in milliseconds; null = the server's limit. */
  timeout(): number | null {
    const timeoutMs = this.read('timeout', null, parseTimeout);
    if (timeoutMs !== null && timeoutMs > this.rules.timeoutMs) {
      this.refuse('over_limit', 'timeout', `must be at most ${this.rules.timeoutMs / 1000}s`);
    }
    return timeoutMs;
  }

  /** How many attempts may follow the first; `otherwise` if not given. */
  retries(otherwise: number): number {
    const retries = this.read('retries', otherwise, parseRetries);
    if (retries > this.rules.retriesMax) {
      this.refuse('over_limit', 'retries', `must be at most ${this.rules.retriesMax}`);
    }
    return retries;
  }

  /** The expression as it was written; null = not given. */
  retryDelay(): string | null {
    return this.read('retry-delay', null, parseExpression);
  }

  /** The labels in their order; empty = there are none. */
  labels(): readonly string[] {
    return this.read('label', noLabels, parseLabels);
  }

  /** What to hide when the message is shown; null = nothing. */
  redaction(): Redaction | null {
    return this.read('redact-fields', null, parseRedaction);
  }

  /** Key and limits, which must be given together; null = neither is given. */
  flowControl(): FlowControlOptions | null {
    const key = this.name('flow-control-key');
    const value = this.read('flow-control-value', null, parseFlowControlValue);
    if (key === null && value === null) return null;
    if (key === null || value === null) {
      const missing = key === null ? 'flow-control-key' : 'flow-control-value';
      this.refuse('invalid', missing, 'is missing: key and value go together');
      return null;
    }
    return { key, ...value };
  }

  /** An option that is `true` or `false`; false if not given. */
  flag(name: string): boolean {
    return this.read(name, false, parseFlag);
  }

  /** An option whose value is a name; null = not given. */
  name(option: string): string | null {
    return this.read(option, null, parseName);
  }

  /** A URL that may be called, as it will be called; null = not given. */
  url(option: string): string | null {
    return this.read(option, null, this.rules.judgeUrl);
  }

  /** The parsed value of an option, trimmed; `otherwise` if the option is absent or refused. */
  read<T>(option: string, otherwise: T, parse: (text: string) => Result<T>): T {
    const text = this.headers.options.get(option);
    if (text === undefined) return otherwise;
    const value = parse(text.trim());
    if (value.ok) return value.value;
    this.refuse('invalid', option, value.message);
    return otherwise;
  }

  /** Query options and batch items may hold what no header can carry, such as a line break. */
  refuseUnsendable(headers: readonly string[]): void {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = headers[index] ?? '';
      if (!isHeaderName(name)) this.refuse('invalid', 'forward', 'contains an invalid header name');
      else if (!isHeaderValue(headers[index + 1] ?? '')) {
        this.refuse('invalid', `forward-${name}`, 'has a value that no header can carry');
      }
    }
  }

  /** Refuses every option that matches `pattern`: ignoring it would silently drop its meaning. */
  refuseOptions(pattern: RegExp, reason: string): void {
    for (const option of this.headers.options.keys()) {
      if (pattern.test(option)) this.refuse('invalid', option, reason);
    }
  }

  /** Only the first refusal counts; later ones are ignored. */
  refuse(code: 'invalid' | 'over_limit', option: string, reason: string): void {
    this.refusal ??= new Refusal(code, `${this.headers.prefix}${titleCase(option)} ${reason}`);
  }

  private get delayMax(): string {
    return `${this.rules.delayMaxMs / 1000}s`;
  }
}

function parseMethod(text: string): Result<string> {
  const method = text.toUpperCase();
  return methods.has(method) ? ok(method) : refused('must be GET, POST, PUT, PATCH or DELETE');
}

/** The expression as it was written: it is shown verbatim (messaging.md 3.3). */
function parseExpression(text: string): Result<string> {
  const expression = parseNewRetryDelay(text);
  return expression.ok ? ok(text) : expression;
}

function parseLabels(text: string): Result<readonly string[]> {
  const labels = text.split(',', labelsMax + 1).map((label) => label.trim());
  if (labels.length > labelsMax) return refused(`names more than ${labelsMax} labels`);
  for (const label of labels) {
    const name = parseName(label);
    if (!name.ok) return name;
  }
  return ok(labels);
}

function parseFlag(text: string): Result<boolean> {
  const value = text.toLowerCase();
  return value === 'true' || value === 'false'
    ? ok(value === 'true')
    : refused('must be true or false');
}

function parseSeconds(text: string): Result<number> {
  return parseWhole(text, 'Unix seconds');
}

function parseRetries(text: string): Result<number> {
  return parseWhole(text, 'retries');
}

function parseWhole(text: string, unit: string): Result<number> {
  return /^\d{1,15}$/.test(text) ? ok(Number(text)) : refused(`must be a whole number of ${unit}`);
}
