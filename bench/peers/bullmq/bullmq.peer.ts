/** BullMQ on Redis, behind Fastify. */
import { join } from 'node:path';
import type { Peer } from '../peer.js';
import { installPackages, packageVersion, presence } from '../processes/installed.js';
import { Program, peersFolder } from '../processes/program.js';
import { redisDurability, redisPart, startRedis } from '../processes/redis-server.js';
import { publishRequest, serviceSettings } from '../processes/service.js';

const packages = ['bullmq', 'fastify'];

export const bullmq: Peer = {
  name: 'bullmq',
  title: 'BullMQ',
  durability: redisDurability,
  kinds: ['accept', 'batch', 'deliver', 'queue', 'wait'],
  look: () =>
    presence([
      redisPart,
      ...packages.map((name) => ({ name, version: packageVersion(name), by: installPackages })),
    ]),
  async start({ directory, kind }) {
    const redis = await startRedis(directory);
    const file = join(peersFolder, 'bullmq/service.mjs');
    const service = Program.start(process.execPath, [
      file,
      JSON.stringify(serviceSettings(redis.port, kind)),
    ]);
    const stop = async () => {
      for (const program of [service, redis.program]) await program.stop();
    };
    const origin = await service.address().catch(async (error) => {
      await stop();
      throw error;
    });
    return {
      processes: [service.pid, redis.program.pid],
      applications: [],
      publish: (publishing) => publishRequest(origin, publishing),
      stop,
    };
  },
};
