/** Lines for people: results on standard output, complaints on standard error. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { safeLine } from './visible.js';

export function say(line: string): void {
  process.stdout.write(`${safeLine(line)}\n`);
}

/** Of what is written past `sayAll`, such as the help: one who stops reading has had enough. */
export function endQuietlyInPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isClosedPipe(error)) throw error;
    });
  }
}

const isClosedPipe = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

/** Writes lines as fast as they are read; one who stops reading (`| head`) has had enough. */
export async function sayAll(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(ended(lines)), process.stdout, { end: false });
  } catch (error) {
    if (!isClosedPipe(error)) throw error;
  }
}

async function* ended(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${safeLine(line)}\n`;
}

export function complain(line: string): void {
  process.stderr.write(`stepwell: ${safeLine(line)}\n`);
}

/** A line on a terminal that is written over in place. */
export interface ProgressLine {
  /** Shows `text` instead of what stands there, ten times a second at most. */
  show(text: string): void;
  /** Leaves an empty line. */
  clear(): void;
}

const progressIntervalMs = 100;
const eraseLine = '\r\x1b[K';

/** How far something is, on standard error; where that is no terminal (a pipe, a file) nothing. */
export function progressLine(
  clock: { monotonic(): number },
  stream: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
): ProgressLine {
  if (stream.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const now = clock.monotonic();
      if (now - shownAt < progressIntervalMs) return;
      shownAt = now;
      stream.write(`${eraseLine}${text}`);
    },
    clear() {
      if (shownAt > Number.NEGATIVE_INFINITY) stream.write(eraseLine);
    },
  };
}
