/** The end of a command's help: how it is called. */

/** For `addHelpText('after', ...)`; each line is a command as it is typed. */
export function examplesText(lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((one) => `  $ ${one}`)].join('\n');
}
