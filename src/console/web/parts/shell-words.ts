/** Arguments of shell commands. Pure. */

/** A text as one argument of a shell command, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A request as a command. Names in its address were chosen by others, so `-g` makes `curl` take
 * brackets literally; `more` are further arguments.
 */
export function curlOf(address: string, more: readonly string[]): string {
  return [`curl -g ${quoted(address)}`, ...more].join(' \\\n  ');
}
