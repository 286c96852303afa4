/** Headers that a run's starter gives its deliveries (workflows.md 1.5). Pure. */
import { type Dialect, optionOf } from '../../http/dialect.js';

/** The server writes these itself; a caller that relays its inbound headers sends them, too. */
const ofServer: ReadonlySet<string> = new Set([
  'message-id',
  'retried',
  'signature',
  'caller-ip',
  'workflow-runid',
  'workflow-url',
  'workflow-init',
  'workflow-createdat',
  'workflow-sdk-version',
]);

/** Names and values in turn, without what the server says itself, whatever their dialect. */
export function ownHeaders(forwarded: readonly string[]): readonly string[] {
  return without(forwarded, (option) => ofServer.has(option));
}

/** As many of them as a failure callback may have: it names no other start of the run. */
export function failureHeaders(forwarded: readonly string[]): readonly string[] {
  return without(ownHeaders(forwarded), (option) => option === 'workflow-unknown-sdk');
}

/** With the header that shows the run's labels to its endpoint, unless there is one. */
export function withLabel(
  headers: readonly string[],
  { messagePrefix }: Dialect,
  labels: readonly string[],
): readonly string[] {
  return labels.length === 0 || headerOf(headers, 'label') !== null
    ? headers
    : [...headers, `${messagePrefix}Label`, labels.join(',')];
}

/** With these labels shown to its endpoint, whatever was shown before. */
export function relabeled(
  headers: readonly string[],
  dialect: Dialect,
  labels: readonly string[],
): readonly string[] {
  return withLabel(
    without(headers, (option) => option === 'label'),
    dialect,
    labels,
  );
}

/** The value of `<any prefix><option>`; null = it is not there. */
export function headerOf(headers: readonly string[], option: string): string | null {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (optionOf(headers[index] ?? '') === option) return headers[index + 1] ?? '';
  }
  return null;
}

function without(
  headers: readonly string[],
  isLeftOut: (option: string) => boolean,
): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const option = optionOf(name);
    if (option === null || !isLeftOut(option)) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}
