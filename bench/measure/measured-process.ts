/**
 * A program in a process of its own, so that its CPU and memory are its own. It prints
 * `running at <where>` when it is ready, as Stepwell does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** What a process has used since it began. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

/** What a process holds after its garbage was collected. */
export interface Memory {
  readonly heapBytes: number;
  /** What lives beside the heap: buffers, mostly. */
  readonly externalBytes: number;
  readonly residentBytes: number;
}

const reporter = join(import.meta.dirname, '../programs/usage-reporter.js');
/** A start with much to replay takes its time: only one that hangs is given up. */
const readyWithinMs = 900_000;

/** fsyncs and file reads run on the thread pool: the size that `npm start` sets. */
const threadPoolSize = '16';

export class MeasuredProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** What it printed after `running at`. */
    readonly address: string,
  ) {}

  /**
   * Starts a compiled program; `program` is a path from the build's root, `bench/sink.js`.
   * `node` is the Node.js that runs it.
   */
  static async start(
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    node: string = process.execPath,
  ): Promise<MeasuredProcess> {
    const file = join(import.meta.dirname, '../..', program);
    const child = spawn(node, ['--import', reporter, file, ...args], {
      env: { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: threadPoolSize, ...environment },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    return new MeasuredProcess(child, await addressOf(child, program));
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>('usage');
  }

  /** Collects its garbage first, which stops it for as long. */
  memory(): Promise<Memory> {
    return this.ask<Memory>('memory');
  }

  /** One question at a time; rejects when the process ends instead of answering. */
  ask<Answer>(question: string | object): Promise<Answer> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`${child.pid} ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (answer) => {
        child.off('exit', ended);
        resolve(answer as Answer);
      });
      // One that has ended would otherwise end the bench with an `error` event.
      child.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  /** Ends it at once: its folder is thrown away, and a drain would only cost time. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}

function addressOf(child: ChildProcess, program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${program} ${reason}:\n${output}`));
    };
    const timer = setTimeout(() => fail('did not start in time'), readyWithinMs);
    const ended = (code: number | null) => fail(`ended with ${code}`);
    child.once('exit', ended);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const address = /running at (\S+)\n/.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      child.off('exit', ended);
      resolve(address);
    });
  });
}
