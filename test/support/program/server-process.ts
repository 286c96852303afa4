/** The real program in a process of its own, so that it can be killed like one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { killedAtLast } from '../leftovers.js';

const program = join(import.meta.dirname, '../../../bin/stepwell.cjs');
const readyWithinMs = 60_000;

/** Credentials every started server knows, so that restarts of one folder agree. */
export const token = 'token-of-the-tests';
export const authorization = `Bearer ${token}`;
export const basic = `Basic ${Buffer.from('test:password-of-the-tests').toString('base64')}`;

/** Below those that Linux gives to outgoing connections: none of them takes one meanwhile. */
const listeningPorts = { from: 20_000, count: 12_000 } as const;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { from, count } = listeningPorts;
  for (;;) {
    const port = from + randomInt(count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export class ServerProcess {
  readonly url: string;
  private readonly lines: string[] = [];
  /** Not 'exit', which may come before the last words that the process printed. */
  private readonly closed: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    port: number,
  ) {
    this.closed = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * Starts the server on a folder and settles when it says that it is running. `args` run another
   * program than the shipped one, to which this process can send messages.
   */
  static async start(
    dataDirectory: string,
    port: number,
    environment: Record<string, string | undefined> = {},
    wrapper: readonly string[] = [],
    args: readonly string[] = [program, 'start'],
  ): Promise<ServerProcess> {
    const [command = '', ...rest] = [...wrapper, process.execPath, ...args];
    const isShipped = args[0] === program;
    const child = killedAtLast(
      spawn(command, rest, {
        env: {
          PATH: process.env['PATH'],
          STEPWELL_PORT: String(port),
          STEPWELL_DATA_DIR: dataDirectory,
          STEPWELL_TOKEN: token,
          STEPWELL_REST_USERNAME: 'test',
          STEPWELL_REST_PASSWORD: 'password-of-the-tests',
          STEPWELL_LOG_LEVEL: 'warn',
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe', ...(isShipped ? [] : (['ipc'] as const))],
      }),
    );
    const server = new ServerProcess(child, port);
    await server.ready();
    return server;
  }

  /** Everything the server has printed. */
  get output(): string {
    return this.lines.join('');
  }

  /** Ends it as a power button would and settles when it is gone. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const gone = this.gone();
    this.child.kill(signal);
    return gone;
  }

  /** The exit code, once the process is gone and its output was read; null after a signal. */
  gone(): Promise<number | null> {
    return this.closed;
  }

  private ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => {
        clearTimeout(timer);
        this.child.kill('SIGKILL');
        reject(new Error(`the server ${reason}:\n${this.output}`));
      };
      const timer = setTimeout(() => fail('did not start in time'), readyWithinMs);
      const listen = (chunk: Buffer) => {
        this.lines.push(chunk.toString());
        if (!/running at/i.test(this.output)) return;
        clearTimeout(timer);
        resolve();
      };
      this.child.stdout?.on('data', listen);
      this.child.stderr?.on('data', (chunk: Buffer) => this.lines.push(chunk.toString()));
      void this.closed.then((code) => fail(`ended with ${code}`));
      this.child.once('error', (error) => fail(error.message));
    });
  }
}
