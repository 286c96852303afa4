/** Words of commands. Pure. */

/** A text as one word of a shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A request as a command. What its address names was chosen by others; `more` are words. */
export function curlOf(address: string, more: readonly string[]): string {
  return [`curl ${quoted(address)}`, ...more].join(' \\\n  ');
}
