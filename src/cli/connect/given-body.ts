/** The body of a request as given on the command line: text, `@file`, or `-` for standard input. */
import { createReadStream } from 'node:fs';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

/** More than a server accepts in one request (`STEPWELL_MAX_BATCH`). In bytes. */
const bytesMax = 256 * 1024 * 1024;

/**
 * The bytes of the body. Throws `ClientError` if a file cannot be read, or has more than
 * `bytesMax`.
 */
export async function givenBody(text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of givenChunks(text)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) throw new ClientError('that is too long for a body', exitCodes.usage);
  }
  return Buffer.concat(chunks);
}

/** The same body, in chunks as they are read. */
export async function* givenChunks(text: string): AsyncGenerator<Buffer> {
  if (text === '-') yield* process.stdin;
  else if (text.startsWith('@')) yield* fileChunks(text.slice(1));
  else yield Buffer.from(text);
}

/** Links are followed and pipes are read: secrets are often links, and `@<(...)` is a pipe. */
async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new ClientError(`${path} cannot be read (${code})`, exitCodes.notFound);
  }
}
