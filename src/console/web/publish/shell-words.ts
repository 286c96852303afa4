/** Words of commands. Pure. */

/** A text as one word of a shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
