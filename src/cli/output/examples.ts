/** The examples at the end of a command's help. */

/** For `addHelpText('after', ...)`; each line is a command as typed. */
export function examplesText(lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((one) => `  $ ${one}`)].join('\n');
}
