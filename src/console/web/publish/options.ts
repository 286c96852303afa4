/** Options of a message or a schedule, as headers of a request for one like it. Pure. */

/** The fields that are needed; an absent option has the server's default. */
export interface MessageOptions {
  readonly method: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly retries: number;
  readonly label?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly retryDelayExpression?: string | undefined;
  readonly flowControlKey?: string | undefined;
  readonly parallelism?: number | undefined;
  readonly rate?: number | undefined;
  /** In seconds. */
  readonly period?: number | undefined;
  readonly callback?: string | undefined;
  readonly callbackHeader?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly failureCallback?: string | undefined;
  readonly failureCallbackHeader?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Headers that the server itself adds to each delivery. */
const ownHeaders = /^(upstash|svc)-|^(user-agent|content-length|host|traceparent|tracestate)$/i;

/** A hidden value cannot be sent again: its digest would be sent in place of the value. */
const isHidden = (values: readonly string[]) => values.some((each) => /^REDACTED:/.test(each));

/** Headers by name, with `prefix` for options; hidden values are left out. */
export function optionsOf(published: MessageOptions, prefix: string): ReadonlyMap<string, string> {
  const { header, method, retries, label, labels = [], retryDelayExpression } = published;
  const options = new Map<string, string>();
  for (const [name, values] of Object.entries(header)) {
    if (ownHeaders.test(name) || isHidden(values)) continue;
    const isType = name.toLowerCase() === 'content-type';
    options.set(isType ? 'Content-Type' : `${prefix}Forward-${name}`, values.join(', '));
  }
  if (method !== 'POST') options.set(`${prefix}Method`, method);
  options.set(`${prefix}Retries`, String(retries));
  if (retryDelayExpression !== undefined) {
    options.set(`${prefix}Retry-Delay`, retryDelayExpression);
  }
  const all = [...new Set([...(label === undefined ? [] : [label]), ...labels])];
  if (all.length > 0) options.set(`${prefix}Label`, all.join(', '));
  addFlowControl(options, published, prefix);
  const { callback, callbackHeader, failureCallback, failureCallbackHeader } = published;
  addCallback(options, `${prefix}Callback`, callback, callbackHeader);
  addCallback(options, `${prefix}Failure-Callback`, failureCallback, failureCallbackHeader);
  return options;
}

function addFlowControl(
  options: Map<string, string>,
  { flowControlKey, parallelism, rate, period }: MessageOptions,
  prefix: string,
): void {
  if (flowControlKey === undefined) return;
  options.set(`${prefix}Flow-Control-Key`, flowControlKey);
  const limits = [
    ...(parallelism === undefined ? [] : [`parallelism=${parallelism}`]),
    ...(rate === undefined ? [] : [`rate=${rate}`]),
    ...(rate === undefined || period === undefined ? [] : [`period=${period}`]),
  ];
  if (limits.length > 0) options.set(`${prefix}Flow-Control-Value`, limits.join(', '));
}

function addCallback(
  options: Map<string, string>,
  name: string,
  url: string | undefined,
  header: MessageOptions['callbackHeader'] = {},
): void {
  if (url === undefined) return;
  options.set(name, url);
  for (const [each, values] of Object.entries(header)) {
    if (ownHeaders.test(each) || isHidden(values)) continue;
    options.set(`${name}-Forward-${each}`, values.join(', '));
  }
}

/** One `Name: value` per line, for editing. */
export function linesOf(options: ReadonlyMap<string, string>): string {
  return [...options].map((option) => option.join(': ')).join('\n');
}

/** Parses such lines; a line without a colon is ignored. */
export function headersIn(lines: string): Readonly<Record<string, string>> {
  const given = lines.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
  });
  return Object.fromEntries(given);
}
