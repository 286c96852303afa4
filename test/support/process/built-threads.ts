/**
 * Threads that servers of tests start run what the build has made, as those of the shipped program.
 * A thread that had to load the loader of the tests and then the sources took one to two seconds of
 * the processor, and one of the build takes a tenth of that.
 */
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';

const root = join(import.meta.dirname, '../../..');

/** The built file of a thread whose source that is; undefined for all else. */
function builtOf(entry: string | URL): string | undefined {
  const path = entry instanceof URL ? fileURLToPath(entry) : entry;
  if (!path.startsWith(join(root, 'src')) || !path.endsWith('.worker.ts')) return undefined;
  return join(root, 'dist/src/program', `${basename(path, '.ts')}.cjs`);
}

class BuiltThread extends threads.Worker {
  constructor(entry: string | URL, options: WorkerOptions = {}) {
    const built = builtOf(entry);
    // Without words of its own a thread takes those of the process, which name the loader.
    super(built ?? entry, built === undefined ? options : { ...options, execArgv: [] });
  }
}

/** For all modules of this process. */
export function useBuiltThreads(): void {
  threads.Worker = BuiltThread;
  syncBuiltinESMExports();
}
