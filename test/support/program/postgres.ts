/** Servers of PostgreSQL in temporary folders, where Debian's package is installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killedAtLast, leave } from '../leftovers.js';
import { freePort } from './server-process.js';

const programs = ['17', '16', '15', '14']
  .map((version) => `/usr/lib/postgresql/${version}/bin`)
  .find((folder) => existsSync(join(folder, 'postgres')));

/** Tests that need PostgreSQL; where there is none they are skipped, by this name. */
export const describeWithPostgres = (name: string, tests: () => void): void =>
  programs === undefined
    ? describe.skip(`${name} (PostgreSQL is not installed)`, tests)
    : describe(name, tests);

/** Its programs refuse to run as root. */
const isRoot = process.getuid?.() === 0;
const owner = isRoot ? Number(execFileSync('id', ['-u', 'postgres']).toString()) : 0;
const asOwner = (words: readonly string[]): readonly [string, ...string[]] => {
  const drop = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
  const [program = '', ...rest] = isRoot ? [...drop, ...words] : words;
  return [program, ...rest];
};

function run(program: string, ...words: readonly string[]): string {
  const [command, ...rest] = asOwner([join(programs ?? '', program), ...words]);
  return execFileSync(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-postgres-'));
  if (isRoot) await chown(folder, owner, owner);
  leave(folder);
  return folder;
}

let emptyServer = '';

/** The folder of a server that never ran; it is copied because `initdb` takes seconds. */
async function emptyFolder(): Promise<string> {
  // The end of a file of tests removes it.
  if (existsSync(emptyServer)) return emptyServer;
  const folder = await newFolder();
  run('initdb', '-D', folder, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8');
  emptyServer = folder;
  return folder;
}

export class PostgresServer {
  private child: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    readonly port: number,
    /** Who beside this machine may connect; null = no one. */
    private readonly network: string | null,
  ) {}

  get url(): string {
    return this.urlAt('127.0.0.1');
  }

  /** By another address of this machine. */
  urlAt(host: string): string {
    return `postgres://postgres@${host}:${this.port}/postgres`;
  }

  /** A new one, which waits for no standby. All of `network` (10.1.0.0/24) may connect. */
  static async create(network: string | null = null): Promise<PostgresServer> {
    const folder = await newFolder();
    execFileSync('cp', ['-a', `${await emptyFolder()}/.`, folder]);
    const server = new PostgresServer(folder, await freePort(), network);
    if (network !== null) {
      await appendFile(join(folder, 'pg_hba.conf'), `host all all ${network} trust\n`);
    }
    await server.start();
    return server;
  }

  /** One that follows this one; from now on this one waits for it before it acknowledges. */
  async follower(): Promise<PostgresServer> {
    const folder = await newFolder();
    await rm(folder, { recursive: true });
    const from = ['-h', '127.0.0.1', '-p', `${this.port}`, '-U', 'postgres'];
    run('pg_basebackup', ...from, '-D', folder, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
    const server = new PostgresServer(folder, await freePort(), this.network);
    await server.start();
    this.ask("alter system set synchronous_standby_names = '*'");
    this.ask('select pg_reload_conf()');
    return server;
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: this.network === null ? '127.0.0.1' : '*',
      unix_socket_directories: '',
      wal_level: 'replica',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = [join(programs ?? '', 'postgres'), '-D', this.folder, '-p', `${this.port}`];
    const [command, ...rest] = asOwner([...server, ...words]);
    for (;;) {
      // One whose last process of before is still ending does not start, and is started again.
      if (this.child === null || this.child.exitCode !== null) {
        this.child = killedAtLast(spawn(command, rest, { stdio: 'ignore' }));
      }
      try {
        this.ask('select 1');
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** One value by `psql`. */
  ask(sql: string): string {
    return run('psql', '-X', '-A', '-t', '-d', this.url, '-c', sql).trim();
  }

  /** A follower takes writes from now on. */
  promote(): void {
    this.ask('select pg_promote()');
  }

  /** Lets all of its processes stand still, or go on. */
  signal(name: 'STOP' | 'CONT'): void {
    this.signalAll(name);
  }

  /** As a power button does. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    this.signalAll('KILL');
    await gone;
    this.child = null;
  }

  /** At once: none of them may finish what it does. */
  private signalAll(name: 'STOP' | 'CONT' | 'KILL'): void {
    const pid = Number(execFileSync('head', ['-n', '1', join(this.folder, 'postmaster.pid')]));
    execFileSync('pkill', [`-${name}`, '-P', `${pid}`]);
    try {
      process.kill(pid, `SIG${name}`);
    } catch {
      // It has ended with its last child.
    }
  }
}
