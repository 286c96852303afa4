/** Lines for people: results on standard output, complaints on standard error. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from '../connect/client-errors.js';
import { plainLine, safeLine } from './visible.js';

/** A line of a server, which goes on where it cannot be written: to a file on a full disk. */
export function say(line: string): void {
  tell(process.stdout, plainLine(line));
}

/**
 * One line on standard error, without control characters of others; it does not end the process.
 */
export function complain(line: string): void {
  tell(process.stderr, `stepwell: ${plainLine(line)}`);
}

function tell(stream: NodeJS.WriteStream, line: string): void {
  try {
    stream.write(`${line}\n`);
  } catch {
    // There is nowhere else to say it.
  }
}

/** Errors of both streams reject what writes (`sayAll`); nothing else is to end by them. */
export function endQuietlyInPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** What one who stops reading leaves behind: no error, as of any filter. */
const isClosedPipe = (error: Error) =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');

type Lines = Iterable<string> | AsyncIterable<string>;

/**
 * Writes lines without colours as fast as they are read; one who stops reading (`| head`) has had
 * enough. Rejects with `ClientError` where standard output cannot be written: a file on a full
 * disk, say; and as `lines` does, once everything that they gave before is written.
 */
export function sayAll(lines: Lines): Promise<void> {
  return writeAll(lines, plainLine);
}

/** The same of lines with colours: texts of others in them have passed `oneLine`. */
export function sayPainted(lines: Lines): Promise<void> {
  return writeAll(lines, safeLine);
}

/** One after the other, so that all that came before a failure of `lines` has been written. */
async function writeAll(lines: Lines, shown: (line: string) => string): Promise<void> {
  for await (const line of lines) {
    if (!(await isTaken(`${shown(line)}\n`))) return;
  }
}

/** False = what it is written to is no longer read. */
function isTaken(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const written = (error?: Error | null) => {
      if (!error) resolve(true);
      else if (isClosedPipe(error)) resolve(false);
      else reject(outputError(error));
    };
    // A file throws what a pipe hands on.
    try {
      process.stdout.write(text, written);
    } catch (error) {
      written(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function outputError({ message }: Error): ClientError {
  return new ClientError(`standard output cannot be written: ${message}`, exitCodes.diskError);
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
