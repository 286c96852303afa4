/** What is still referred to, of bytes outside the heap. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects everything that nothing refers to. */
export const collect: () => void = runInNewContext('gc');

/** Bytes of all buffers of this process that something refers to, once all others are collected. */
export async function keptBytes(): Promise<number> {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().arrayBuffers;
}
