/** NATS JetStream: one stream in a file. */
import { mkdir } from 'node:fs/promises';
import type { Peer } from '../peer.js';
import {
  installPackages,
  packageVersion,
  presence,
  programVersion,
} from '../processes/installed.js';
import { ownPort } from '../processes/ports.js';
import { Program } from '../processes/program.js';
import { openClient, topicWorks } from '../processes/topic-client.js';

export const nats: Peer = {
  name: 'nats',
  title: 'NATS JetStream',
  durability: 'as shipped: acknowledged before it is synced (every two minutes)',
  kinds: ['produce', 'consume'],
  look: () =>
    presence([
      {
        name: 'nats-server',
        version: programVersion('nats-server'),
        by: 'apt-get install nats-server',
      },
      { name: 'nats', version: packageVersion('nats'), by: installPackages },
    ]),
  async start({ directory }) {
    await mkdir(directory, { recursive: true });
    const port = await ownPort();
    const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory];
    const program = Program.start('nats-server', args);
    await program.listens(port);
    const client = await openClient('nats', port);
    const stop = async () => {
      await client.close();
      await program.stop();
    };
    return { ...topicWorks(client), processes: [program.pid], applications: [], stop };
  },
};
