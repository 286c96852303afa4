/**
 * What a process of the tests begins with. The runner runs the files of a process in bare
 * Node.js, one after the other: it transforms and isolates nothing, which makes it twice as fast
 * as jest's own, and leaves the limits of time to this file.
 */
import type { Circus } from '@jest/types';
import fc from 'fast-check';
import { addEventHandler } from 'jest-circus';
import { removeLeftovers } from './support/leftovers.js';
import { endStorages, watchStorages } from './support/process/async-storages.js';
import { useBuiltThreads } from './support/process/built-threads.js';
import { keepStrayErrors, throwStrayError } from './support/process/stray-errors.js';
import { seed } from './support/seed.js';

/** Of a test or hook that says nothing else: it ends what hangs. A busy machine takes its time. */
const limitMsDefault = 90_000;

// As every start of the program sets it; the pool that Node 24 has begun is larger, and used up.
Buffer.poolSize = 8 * 1024;
for (let used = 0; used < 64 * 1024; used += 4095) Buffer.allocUnsafe(4095);

// The runner prints no cause of an error, so the report has it.
fc.configureGlobal({ seed, includeErrorInReport: true });

// Servers that tests start are plain programs, without the loader of the tests, and so are threads.
process.env['NODE_OPTIONS'] = '';
useBuiltThreads();
watchStorages();
keepStrayErrors();
// A run that was killed leaves no process that waits for it.
process.once('disconnect', () => process.exit());

/** Files that have a test by now, by what holds all of it. */
const files = new WeakSet<object>();

addEventHandler((event, { currentDescribeBlock, rootDescribeBlock: file }) => {
  if (event.name === 'add_test' && !files.has(file)) {
    files.add(file);
    for (const fn of [removeLeftovers, endStorages, throwStrayError]) {
      file.hooks.push({ type: 'afterAll', fn } as Circus.Hook);
    }
  }
  if (event.name === 'add_test') limit(currentDescribeBlock.children.at(-1), event.timeout);
  if (event.name === 'add_hook') limit(currentDescribeBlock.hooks.at(-1), event.timeout);
});

/** Makes what was just declared fail when it takes longer. */
function limit(declared: unknown, limitMs = limitMsDefault): void {
  const { fn } = declared as { fn?: () => unknown };
  if (fn === undefined) return;
  Object.assign(declared as object, { fn: () => within(limitMs, fn) });
}

async function within(limitMs: number, run: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    const text = `not done after ${limitMs} ms`;
    timer = setTimeout(() => reject(new Error(text)), limitMs);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
