/** A program of a peer in a process of its own, whose CPU and memory Linux reports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';

/** Where the peers' own package is: the build has only what is compiled. */
export const peersFolder = join(import.meta.dirname, '../../../../bench/peers');

const readyWithinMs = 60_000;
const lookEveryMs = 5;
const keptOutput = 4000;

/** Ended with the bench, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export class Program {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
  ) {
    running.add(child);
    child.once('exit', () => running.delete(child));
    const keep = (bytes: Buffer) => {
      this.output = (this.output + bytes.toString()).slice(-keptOutput);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', (error) => {
      this.output += error.message;
    });
  }

  static start(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Program {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    return new Program(child, [command, ...args].join(' ').slice(0, 200));
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error(`${this.name} could not be started: ${this.output}`);
    return pid;
  }

  /** What it printed after `running at`; rejects when it ends before. */
  async address(): Promise<string> {
    await this.until(async () => /running at (\S+)\n/.test(this.output));
    return /running at (\S+)\n/.exec(this.output)?.[1] ?? '';
  }

  /** What it answers to a message; rejects when it ends instead. */
  ask<Answer>(question: object): Promise<Answer> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${this.name} has ended: ${this.output}`));
      child.once('exit', ended);
      child.once('message', (answer) => {
        child.off('exit', ended);
        resolve(answer as Answer);
      });
      child.send(question);
    });
  }

  /** Settles when it takes connections at a port of this machine. */
  async listens(port: number): Promise<void> {
    await this.until(() => isOpen(port));
  }

  /** Asks again and again until `isReady`; rejects when it has ended, or after a minute. */
  async until(isReady: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + readyWithinMs;
    while (!(await isReady())) {
      const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
      if (hasEnded || this.child.pid === undefined || performance.now() > end) {
        await this.stop();
        throw new Error(`${this.name} did not start: ${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  /** Ends it, at once where no other signal is named. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() !== null));
    socket.once('error', () => resolve(false));
  });
}
