/** The parent's side of `soaked-server.mjs`: a server that dies as a test says. */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerProcess } from './server-process.js';

const program = join(import.meta.dirname, 'soaked-server.mjs');

/** What a running server costs, in bytes and open files. */
export interface Cost {
  readonly heap: number;
  readonly rss: number;
  readonly files: number;
  readonly disk: number;
}

export class SoakedServer {
  private constructor(
    private readonly process: ServerProcess,
    private readonly folder: string,
    private readonly stateFile: string,
  ) {}

  /** Settles when it is running. `aheadMs`: its clock is so far ahead of this machine's. */
  static async start(
    folder: string,
    stateFile: string,
    port: number,
    aheadMs: number,
    environment: Readonly<Record<string, string>>,
  ): Promise<SoakedServer> {
    const started = await ServerProcess.start(
      folder,
      port,
      {
        UV_THREADPOOL_SIZE: '16',
        SEGMENT_BYTES: String(32 * 1024),
        STATE_FILE: stateFile,
        CLOCK_AHEAD_MS: String(aheadMs),
        ...environment,
      },
      [],
      ['--expose-gc', program],
    );
    return new SoakedServer(started, folder, stateFile);
  }

  get url(): string {
    return this.process.url;
  }

  /** Everything it has printed. */
  get output(): string {
    return this.process.output;
  }

  /** The exit code, once it is gone; null after a SIGKILL. */
  gone(): Promise<number | null> {
    return this.process.gone();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    return this.process.kill(signal);
  }

  setClock(aheadMs: number): void {
    this.order({ do: 'clock', aheadMs });
  }

  /**
   * It dies at the nth change from now of a segment that is being rewritten; false = there were not
   * so many for a while, and it was killed.
   */
  async dieAt(changes: number, withinMs: number): Promise<boolean> {
    this.order({ do: 'dieAt', changes });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void this.kill();
    }, withinMs);
    await this.gone();
    clearTimeout(timer);
    return !isLate;
  }

  /** It dies in an instant in which all that it remembers is durable, and leaves what that was. */
  async sayAndDie(): Promise<void> {
    await rm(`${this.stateFile}.died`, { force: true });
    this.order({ do: 'sayAndDie' });
    await this.gone();
  }

  async cost(): Promise<Cost> {
    const { child } = this.process;
    const answer = new Promise<{ heapUsed: number; rss: number }>((resolve, reject) => {
      child.once('message', resolve as (message: unknown) => void);
      child.once('exit', () => reject(new Error('it ended while it was measured')));
    });
    this.order({ do: 'measure' });
    const { heapUsed: heap, rss } = await answer;
    const files = (await readdir(`/proc/${child.pid}/fd`)).length;
    return { heap, rss, files, disk: await bytesOf(this.folder) };
  }

  private order(order: object): void {
    if (this.process.child.connected) this.process.child.send(order, () => undefined);
  }
}

/** Streams and indexes that the server that began last does not remember as the one before it. */
export async function differences(stateFile: string): Promise<string[]> {
  const [died, born] = await Promise.all(
    ['died', 'born'].map(async (name) => {
      const text = await readFile(`${stateFile}.${name}`, 'utf8');
      return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
    }),
  );
  if (died === undefined || born === undefined) throw new Error('no state was left');
  const names = new Set([...died.keys(), ...born.keys()]);
  return [...names].filter((name) => died.get(name) !== born.get(name));
}

/** Of all its files. */
async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = names.map(async (name) => {
    // A file may be gone by now.
    const stats = await stat(join(folder, name)).catch(() => null);
    return stats?.isFile() ? stats.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
