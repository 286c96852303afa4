/** The body of a request as the command line gives it: text, `@file`, or `-` for standard input. */
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { readWhole } from '../../../storage/disk/whole-file.js';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

/** Its bytes; throws `ClientError` where a file cannot be read. */
export async function givenBody(text: string): Promise<Buffer> {
  if (text === '-') return standardInput();
  if (!text.startsWith('@')) return Buffer.from(text);
  const path = text.slice(1);
  try {
    return await readWhole(nodeDisk, path);
  } catch (error) {
    throw new ClientError(`${path} cannot be read (${errorCode(error)})`, exitCodes.notFound);
  }
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
