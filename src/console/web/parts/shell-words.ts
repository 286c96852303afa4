/** Words of commands. Pure. */

/** A text as one word of a shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A request as a command. What its address names was chosen by others, and `-g` takes brackets in
 * it as they are; `more` are words.
 */
export function curlOf(address: string, more: readonly string[]): string {
  return [`curl -g ${quoted(address)}`, ...more].join(' \\\n  ');
}
