/** Splits bytes into lines as they arrive, a few at a time, so that memory holds only one part. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from '../connect/client-errors.js';

/** Consecutive lines with their numbers, counted from 1; empty lines are left out of `values`. */
export interface Lines {
  readonly first: number;
  readonly last: number;
  readonly values: readonly Buffer[];
}

const linesMax = 500;
/** A longer line cannot be a record. */
const lineBytesMax = 16 * 1024 * 1024;
const newline = 0x0a;

/**
 * The lines in `chunks`, up to `linesMax` at a time. Lines that end in a chunk are yielded at once,
 * so that a slow writer need not wait for more. Throws `ClientError` if a line is too long.
 */
export async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Lines> {
  let number = 0;
  let open: readonly Buffer[] = [];
  for await (const chunk of chunks) {
    const [ended, rest] = cut(chunk);
    if (ended.length > 0) ended[0] = [...open, ...(ended[0] ?? [])];
    open = ended.length > 0 ? rest : [...open, ...rest];
    for (let from = 0; from < ended.length; from += linesMax) {
      const lines = ended.slice(from, from + linesMax);
      yield part(number + 1, lines);
      number += lines.length;
    }
    if (lengthOf(open) > lineBytesMax) {
      const message = `line ${number + 1} has more than ${lineBytesMax} bytes`;
      throw new ClientError(message, exitCodes.usage);
    }
  }
  yield part(number + 1, [open]);
}

/** The lines that end in a chunk, each in pieces, and the rest after the last line end. */
function cut(chunk: Buffer): [(readonly Buffer[])[], readonly Buffer[]] {
  const ended: (readonly Buffer[])[] = [];
  let from = 0;
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
    ended.push([chunk.subarray(from, end)]);
    from = end + 1;
  }
  return [ended, [chunk.subarray(from)]];
}

function part(first: number, lines: readonly (readonly Buffer[])[]): Lines {
  const whole = lines.map((pieces) => Buffer.concat(pieces));
  return {
    first,
    last: first + lines.length - 1,
    values: whole.filter(({ length }) => length > 0),
  };
}

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);
