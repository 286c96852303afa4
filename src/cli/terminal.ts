/** Lines for people: results on standard output, complaints on standard error. */

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(line: string): void {
  process.stderr.write(`stepwell: ${line}\n`);
}
