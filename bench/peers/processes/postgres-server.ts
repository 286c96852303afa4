/** PostgreSQL on a folder and a free port, with the settings it is shipped with. */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { programVersion } from './installed.js';
import { ownPort } from './ports.js';
import { Program } from './program.js';

const run = promisify(execFile);

export const postgresPart = {
  name: 'PostgreSQL',
  version: programVersion('postgres'),
  by: 'apt-get install postgresql (and its bin folder in PATH)',
};

export const postgresDurability =
  'fsync on, synchronous_commit on: answered after the WAL is synced';

export interface PostgresServer {
  readonly program: Program;
  readonly port: number;
}

/** Makes a new cluster; its directory must not exist yet. */
export async function makeCluster(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  if (isRoot()) await giveTo(directory);
  await chmod(directory, 0o700);
  const args = ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  const [command, ...rest] = unprivileged(['initdb', ...args]);
  await run(command, rest);
}

/** Settles when it takes connections. */
export async function startPostgres(directory: string): Promise<PostgresServer> {
  const port = await ownPort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`];
  const args = ['-D', directory, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
  const [command, ...rest] = unprivileged(['postgres', ...args]);
  const program = Program.start(command, rest);
  await program.until(async () => {
    const [client, ...asked] = ['pg_isready', '-h', '127.0.0.1', '-p', String(port)] as const;
    return run(client, asked).then(
      () => true,
      () => false,
    );
  });
  return { program, port };
}

/** It refuses to run as root: then it runs as the user that its package makes. */
function unprivileged(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (!isRoot()) return command;
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

async function giveTo(directory: string): Promise<void> {
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  await chown(directory, await idOf('-u'), await idOf('-g'));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
