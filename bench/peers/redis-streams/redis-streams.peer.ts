/** Redis Streams: one stream. */
import type { Peer } from '../peer.js';
import { installPackages, packageVersion, presence } from '../processes/installed.js';
import { redisDurability, redisPart, startRedis } from '../processes/redis-server.js';
import { openClient, topicWorks } from '../processes/topic-client.js';

export const redisStreams: Peer = {
  name: 'redis-streams',
  title: 'Redis Streams',
  durability: redisDurability,
  kinds: ['produce', 'consume'],
  look: () =>
    presence([
      redisPart,
      { name: 'ioredis', version: packageVersion('ioredis'), by: installPackages },
    ]),
  async start({ directory }) {
    const { program, port } = await startRedis(directory);
    const client = await openClient('redis-streams', port);
    const stop = async () => {
      await client.close();
      await program.stop();
    };
    return { ...topicWorks(client), processes: [program.pid], applications: [], stop };
  },
};
