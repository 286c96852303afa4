/** What the server asked of the kernel and in which order: strace's record of it, as values. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** One system call of one thread. */
export interface SystemCall {
  readonly thread: string;
  readonly name: string;
  /** What its first argument, a file descriptor, stands for: a path, `socket:[...]`, or ''. */
  readonly target: string;
  /** All arguments as strace writes them; strings are escaped as in C. */
  readonly text: string;
  /** What it returned; -1 for an error and for a call that never returned. */
  readonly result: number;
  /** Places in one order of all threads: when it was entered, and when it had returned. */
  readonly enteredAt: number;
  readonly returnedAt: number;
}

/** Calls that open or change files, make them durable, or send bytes to a peer. */
const tracedCalls = 'openat,write,writev,sendto,sendmsg,pwrite64,pwritev,pwritev2,fdatasync,fsync';

/**
 * The words in front of a command that trace it into `file`. The command stays the child of the
 * process that starts it (`-D`), so its exit code and signals are its own. `more` are more options.
 */
export function straceWords(file: string, ...more: readonly string[]): string[] {
  // Long strings: what is not shown cannot be found.
  const options = ['-D', '-f', '-q', '-y', '-s', '65536', '-o', file];
  return ['strace', ...options, '-e', `trace=${tracedCalls}`, ...more];
}

function isTraceable(): boolean {
  const words = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fdatasync', process.execPath, '-v'];
  return spawnSync('strace', words).status === 0;
}

/** Every call of a traced program stops it twice. */
const limitMs = 120_000;

/** A test that needs strace: without it, or without leave to trace, shown as skipped and why. */
export const itUnderStrace: (name: string, run: () => Promise<void>) => void = isTraceable()
  ? (name, run) => it(name, run, limitMs)
  : (name, run) => it.skip(`${name} (there is no strace that may trace)`, run);

/** Reads the trace of `pid`; waits until the end of that process is in it. */
export async function readTrace(file: string, pid: number | undefined): Promise<SystemCall[]> {
  const end = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, 'm');
  for (;;) {
    const text = await readFile(file, 'latin1');
    if (end.test(text)) return parseTrace(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const whole = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/;
const entered = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/;

/** The calls of a trace in the order in which they were entered. */
export function parseTrace(text: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, number>();
  for (const [at, line] of text.split('\n').entries()) {
    const [, thread = '', name = '', args = '', result = '-1'] =
      whole.exec(line) ?? entered.exec(line) ?? [];
    if (name !== '') {
      const isEntered = !whole.test(line);
      if (isEntered) unfinished.set(thread, calls.length);
      calls.push({
        thread,
        name,
        target: /^-?\d+<(.*?)>/.exec(args)?.[1] ?? '',
        text: args,
        result: Number(result),
        enteredAt: at,
        returnedAt: isEntered ? Number.POSITIVE_INFINITY : at,
      });
      continue;
    }
    const [, own = '', , rest = '', returned = '-1'] = resumed.exec(line) ?? [];
    const index = unfinished.get(own);
    const call = index === undefined ? undefined : calls[index];
    if (index === undefined || call === undefined) continue;
    unfinished.delete(own);
    calls[index] = { ...call, text: call.text + rest, result: Number(returned), returnedAt: at };
  }
  return calls;
}
