/** Redis on a folder and a free port, which answers when what it was sent is on disk. */
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { programVersion } from './installed.js';
import { ownPort } from './ports.js';
import { Program } from './program.js';

export const redisPart = {
  name: 'Redis',
  version: programVersion('redis-server'),
  by: 'apt-get install redis-server',
};

export const redisDurability = 'appendonly yes, appendfsync always: answered after fsync';

export interface RedisServer {
  readonly program: Program;
  readonly port: number;
}

/** Settles when it has read what the folder holds. */
export async function startRedis(directory: string): Promise<RedisServer> {
  await mkdir(directory, { recursive: true });
  const port = await ownPort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const program = Program.start('redis-server', args);
  await program.until(() => answersPing(port));
  return { program, port };
}

/** While it loads its folder it answers `-LOADING`. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
