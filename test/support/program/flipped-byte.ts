/** Damage as disks make it: one byte of a file is another one than was written. */
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Inverts every bit of the byte at `position`; a negative position counts from the end. */
export async function flipByte(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const at = position < 0 ? (await file.stat()).size + position : position;
    const byte = Buffer.alloc(1);
    const { bytesRead } = await file.read(byte, 0, 1, at);
    if (bytesRead !== 1) throw new Error(`${path} has no byte at ${at}`);
    byte[0] = (byte[0] ?? 0) ^ 0xff;
    await file.write(byte, 0, 1, at);
  } finally {
    await file.close();
  }
}

/** Damages the first byte of a text where a log of the data folder has it first. */
export async function flipByteOf(text: string, dataDirectory: string): Promise<void> {
  for (const name of await readdir(dataDirectory, { recursive: true })) {
    if (!name.endsWith('.log')) continue;
    const path = join(dataDirectory, name);
    const at = (await readFile(path)).indexOf(text);
    if (at >= 0) return flipByte(path, at);
  }
  throw new Error(`no log holds ${text}`);
}
