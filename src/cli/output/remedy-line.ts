/** What helps, as the server says it: where that is a request, as the command that makes it. */
import { oneLine } from './visible.js';

/** A request with the name in it and what is said behind it, and the words of the command. */
const commands: readonly (readonly [request: RegExp, words: string])[] = [
  [/^POST \/v2\/dlq\/retry\/(\S+)( .*)$/, 'dlq retry'],
  [/^POST \/v2\/workflows\/dlq\/resume\/(\S+)( .*)$/, 'run resume'],
  [/^POST \/v2\/notify\/(.+)()$/, 'run notify'],
  [/^POST \/v2\/queues\/(.+)\/resume()$/, 'queue resume'],
  [/^POST \/v2\/flowControl\/(.+)\/resume()$/, 'flow resume'],
  [/^POST \/v2\/flowControl\/(.+)\/pin( with a greater parallelism)$/, 'flow pin'],
  [/^POST \/v2\/flowControl\/(.+)\/resetRate( begins a new window)$/, 'flow reset'],
  [/^GET \/v2\/messages\/(.+)\/why( says what holds it up\.)$/, 'msg why'],
  [/^GET \/v2\/workflows\/runs\/(.+)\/why( says what that one waits for\.)$/, 'run why'],
];

/** `POST /v2/queues/mails/resume` is `stepwell queue resume mails`; other sentences stay. */
export function remedyLine(remedy: string): string {
  const text = oneLine(remedy);
  for (const [request, words] of commands) {
    const [, name, rest = ''] = request.exec(text) ?? [];
    if (name !== undefined) return `stepwell ${words} ${quoted(name)}${rest}`;
  }
  return text;
}

/** Names are chosen by others, and this line is copied into a shell. */
function quoted(name: string): string {
  if (/^[\w.:@/][\w.:@/-]*$/.test(name)) return name;
  return `'${name.replaceAll("'", `'\\''`)}'`;
}
