/** Shows the remedy that the server suggests; if it is a request, as the equivalent command. */
import { oneLine } from './visible.js';

/**
 * A request, with captures for the name in it and the text after it, and the words of the command.
 */
const commands: readonly (readonly [request: RegExp, words: string])[] = [
  [/^POST \/v2\/dlq\/retry\/(\S+)( .*)$/, 'dlq retry'],
  [/^POST \/v2\/workflows\/dlq\/resume\/(\S+)( .*)$/, 'run resume'],
  [/^POST \/v2\/notify\/(.+)()$/, 'run notify'],
  [/^POST \/v2\/queues\/(.+)\/resume()$/, 'queue resume'],
  [/^POST \/v2\/flowControl\/(.+)\/resume()$/, 'flow resume'],
  [/^POST \/v2\/flowControl\/(.+)\/pin( with a higher parallelism)$/, 'flow pin'],
  [/^POST \/v2\/flowControl\/(.+)\/resetRate( begins a new window)$/, 'flow reset'],
  [/^GET \/v2\/messages\/(.+)\/why( says what it waits for\.)$/, 'msg why'],
  [/^GET \/v2\/workflows\/runs\/(.+)\/why( says what that run waits for\.)$/, 'run why'],
];

/**
 * `POST /v2/queues/mails/resume` becomes `stepwell queue resume mails`; other sentences do not
 * change.
 */
export function remedyLine(remedy: string): string {
  const text = oneLine(remedy);
  for (const [request, words] of commands) {
    const [, name, rest = ''] = request.exec(text) ?? [];
    if (name !== undefined) return `stepwell ${words} ${quoted(name)}${rest}`;
  }
  return text;
}

/** Quotes a name for a shell: others choose names, and people copy this line into a shell. */
function quoted(name: string): string {
  if (/^[\w.:@/][\w.:@/-]*$/.test(name)) return name;
  return `'${name.replaceAll("'", `'\\''`)}'`;
}
