/** Damage as disks make it: one byte of a file is another one than was written. */
import { open } from 'node:fs/promises';

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
