/** Lines for people: results on standard output, complaints on standard error. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes lines as fast as they are read; one who stops reading (`| head`) has had enough. */
export async function sayAll(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(ended(lines)), process.stdout, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

async function* ended(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

export function complain(line: string): void {
  process.stderr.write(`stepwell: ${line}\n`);
}
