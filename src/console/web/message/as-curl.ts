/** The request that publishes a message like this one, as a command. Pure. */

/** A message, as far as it is asked for. */
export interface Published {
  readonly url: string;
  readonly method: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly body?: string | undefined;
  readonly maxRetries: number;
  readonly queueName?: string | undefined;
  readonly label?: string | undefined;
  readonly flowControlKey?: string | undefined;
}

/** What the server adds to each delivery by itself. */
const ownHeaders = /^(upstash|svc)-|^(user-agent|content-length|host|traceparent|tracestate)$/i;

/** The option headers and forwarded headers of a message; names begin with `prefix`. */
export function optionsOf(message: Published, prefix: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [name, values] of Object.entries(message.header)) {
    if (ownHeaders.test(name)) continue;
    const isType = name.toLowerCase() === 'content-type';
    options.set(isType ? 'Content-Type' : `${prefix}Forward-${name}`, values.join(', '));
  }
  if (message.method !== 'POST') options.set(`${prefix}Method`, message.method);
  options.set(`${prefix}Retries`, String(message.maxRetries));
  if (message.label !== undefined) options.set(`${prefix}Label`, message.label);
  if (message.flowControlKey !== undefined) {
    options.set(`${prefix}Flow-Control-Key`, message.flowControlKey);
  }
  return options;
}

/** Where it is published: to its queue, or without one. */
export function pathOf({ queueName, url }: Published): string {
  return queueName === undefined
    ? `/v2/publish/${url}`
    : `/v2/enqueue/${encodeURIComponent(queueName)}/${url}`;
}

/** A word for a shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words behind `curl <address>`. */
export function curlWords(message: Published, prefix: string): readonly string[] {
  const headers = [...optionsOf(message, prefix)].map(([name, value]) => {
    return `-H ${quoted(`${name}: ${value}`)}`;
  });
  return message.body === undefined || message.body === ''
    ? ['-X POST', ...headers]
    : [...headers, `--data-raw ${quoted(message.body)}`];
}
