/** Prints lines for people: results on standard output, complaints on standard error. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from '../connect/client-errors.js';
import { plainLine, safeLine } from './visible.js';

/**
 * Prints a line of a server, which continues if the line cannot be written, for example to a file
 * on a full disk.
 */
export function say(line: string): void {
  tell(process.stdout, plainLine(line));
}

/**
 * Prints one line on standard error, with control characters escaped; a failure to write does not
 * end the process.
 */
export function printError(line: string): void {
  tell(process.stderr, `stepwell: ${plainLine(line)}`);
}

function tell(stream: NodeJS.WriteStream, line: string): void {
  try {
    stream.write(`${line}\n`);
  } catch {
    // There is nowhere else to report this.
  }
}

/** Ignores errors of both streams: only the writer that awaits them (`printLines`) should fail. */
export function endQuietlyInPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Whether the reader has closed the pipe; as for any filter, that is not an error. */
const isClosedPipe = (error: Error) =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');

type Lines = Iterable<string> | AsyncIterable<string>;

/**
 * Writes lines without colours as fast as they can be read; ends early if the reader stops (`|
 * head`). Rejects with `ClientError` if standard output cannot be written, for example to a file on
 * a full disk; and with an error of `lines`, once everything that they yielded before is written.
 */
export function printLines(lines: Lines): Promise<void> {
  return writeAll(lines, plainLine);
}

/**
 * Like `printLines`, for lines with colours; texts from outside in them have already passed
 * `oneLine`.
 */
export function sayPainted(lines: Lines): Promise<void> {
  return writeAll(lines, safeLine);
}

/** Writes one line after the other, so that everything before a failure of `lines` is written. */
async function writeAll(lines: Lines, shown: (line: string) => string): Promise<void> {
  for await (const line of lines) {
    if (!(await isTaken(`${shown(line)}\n`))) return;
  }
}

/** False if the output is no longer read. */
function isTaken(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const written = (error?: Error | null) => {
      if (!error) resolve(true);
      else if (isClosedPipe(error)) resolve(false);
      else reject(outputError(error));
    };
    // Writing to a file throws; writing to a pipe passes the error to the callback.
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

/** A line on a terminal that is overwritten in place. */
export interface ProgressLine {
  /** Replaces the line by `text`, at most ten times a second. */
  show(text: string): void;
  /** Clears the line. */
  clear(): void;
}

const progressIntervalMs = 100;
const eraseLine = '\r\x1b[K';

/** Shows progress on standard error; if that is not a terminal (a pipe, a file), shows nothing. */
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
