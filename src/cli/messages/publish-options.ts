/** The options of `msg publish` and `sched create`, as headers (messaging.md 3.1). */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { headerBytes } from '../../grammar/headers.js';
import { listOption, wordOption } from '../client/client-command.js';
import { clientDialects } from '../connect/client-environment.js';
import type { RequestHeaders } from '../connect/exchange.js';

/** The options that both commands have. */
export interface PublishOptions {
  readonly method?: string;
  readonly header?: readonly string[];
  readonly contentType?: string;
  readonly delay?: string;
  readonly notBefore?: string;
  readonly timeout?: string;
  readonly retries?: string;
  readonly retryDelay?: string;
  readonly callback?: string;
  readonly failureCallback?: string;
  readonly queue?: string;
  readonly flowKey?: string;
  readonly flowValue?: string;
  readonly label?: readonly string[];
  readonly dedupId?: string;
  readonly redact?: string;
  readonly dialect?: string;
}

/**
 * The dialect decides how the options are spelt, and therefore what the endpoint receives
 * (messaging.md 1.6).
 */
export function dialectOption(): Option {
  return new Option(
    '--dialect <name>',
    'the names of headers at the endpoint: svc, or upstash for its SDKs',
  ).choices(clientDialects);
}

/** The prefix of an option's header name. */
export function optionPrefix(dialect: string): string {
  return `${dialect}-`;
}

function headerOption(text: string, before: readonly string[] = []): readonly string[] {
  if (/^[^:\s]+\s*:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('Write a header as "Name: value".');
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Adds all options of a message, including those that a schedule cannot have. */
export function withMessageOptions(command: Command): Command {
  return withPublishOptions(command)
    .option('--not-before <seconds>', 'when the first attempt may start (Unix seconds)')
    .option(
      '--dedup-id <id>',
      'a message with this id in the last ten minutes is returned instead',
    );
}

/** Adds the common options to a command; the server validates their values. */
export function withPublishOptions(command: Command): Command {
  return command
    .addOption(
      wordOption('--method <method>', 'the method of the delivery (default: POST)', methods),
    )
    .option('-H, --header <header>', '"Name: value" to deliver; may be repeated', headerOption)
    .option('--content-type <type>', 'the type of the body')
    .option('--delay <duration>', 'how long to wait before the first attempt: 90s, 1h30m')
    .option('--timeout <duration>', 'the longest duration of an attempt')
    .option('--retries <count>', 'attempts after the first')
    .option('--retry-delay <expression>', 'milliseconds between attempts: "1000 * (1 + retried)"')
    .option('--callback <url>', 'URL to call after every attempt')
    .option('--failure-callback <url>', 'URL to call when it has failed for good')
    .option('--queue <name>', 'the queue to put it into')
    .option('--flow-key <key>', 'its flow-control key')
    .option('--flow-value <value>', 'limits of that key: parallelism=2,rate=10,period=1m')
    .option('--label <label>', 'a word to search by; may be repeated', listOption)
    .addOption(dialectOption())
    .option('--redact <fields>', 'what the API must not show: body,header[Authorization]');
}

/**
 * The request headers for the options. Never throws: the server refuses values that it cannot read.
 */
export function publishHeaders(options: PublishOptions, dialect: string | null): RequestHeaders {
  const prefix = optionPrefix(dialect ?? 'svc');
  const headers: Record<string, string> = {};
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) headers[name] = value;
  };
  add(`${prefix}method`, options.method);
  add('content-type', options.contentType);
  add(`${prefix}delay`, options.delay);
  add(`${prefix}not-before`, options.notBefore);
  add(`${prefix}timeout`, options.timeout);
  add(`${prefix}retries`, options.retries);
  add(`${prefix}retry-delay`, options.retryDelay);
  add(`${prefix}callback`, options.callback);
  add(`${prefix}failure-callback`, options.failureCallback);
  add(`${prefix}queue-name`, options.queue);
  add(`${prefix}flow-control-key`, options.flowKey);
  add(`${prefix}flow-control-value`, options.flowValue);
  add(`${prefix}label`, options.label?.join(','));
  add(`${prefix}deduplication-id`, options.dedupId);
  add(`${prefix}redact-fields`, options.redact);
  return { ...headers, ...forwardHeaders(options.header ?? [], prefix) };
}

/**
 * Combines the values of one name, however it is spelt: Node.js would send only the last one. The
 * values travel as UTF-8, as curl sends them.
 */
function forwardHeaders(given: readonly string[], prefix: string): RequestHeaders {
  const values = new Map<string, string[]>();
  for (const header of given) {
    const colon = header.indexOf(':');
    const name = `${prefix}forward-${header.slice(0, colon).trim()}`;
    const same = [...values.keys()].find((known) => known.toLowerCase() === name.toLowerCase());
    const value = headerBytes(header.slice(colon + 1).trim());
    values.set(same ?? name, [...(values.get(same ?? name) ?? []), value]);
  }
  return Object.fromEntries(values);
}
