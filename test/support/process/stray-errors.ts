/**
 * Rejections that a test leaves behind, such as that of a request which is broken off as the test
 * fails before it waits for it. Node.js would end the process.
 */
import { setImmediate } from 'node:timers/promises';

const strays: unknown[] = [];

/** Keeps those of this process from now on. */
export function keepStrayErrors(): void {
  process.on('unhandledRejection', (error) => strays.push(error));
}

/** A file of tests is over: throws the first that it left. */
export async function throwStrayError(): Promise<void> {
  await setImmediate();
  const left = strays.splice(0);
  if (left.length > 0) throw left[0];
}
