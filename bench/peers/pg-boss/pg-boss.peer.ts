/** pg-boss on PostgreSQL, behind Fastify. */
import { join } from 'node:path';
import type { Peer, Place } from '../peer.js';
import { installPackages, newerNode, packageVersion, presence } from '../processes/installed.js';
import {
  makeCluster,
  postgresDurability,
  postgresPart,
  startPostgres,
} from '../processes/postgres-server.js';
import { Program, peersFolder } from '../processes/program.js';
import { publishRequest, serviceSettings } from '../processes/service.js';

const packages = ['pg-boss', 'fastify', 'node'];
const clusterOf = ({ directory }: Place) => join(directory, 'cluster');

export const pgBoss: Peer = {
  name: 'pg-boss',
  title: 'pg-boss',
  durability: postgresDurability,
  kinds: ['accept', 'batch', 'deliver', 'wait'],
  look: () =>
    presence([
      postgresPart,
      ...packages.map((name) => ({ name, version: packageVersion(name), by: installPackages })),
    ]),
  prepare: (place) => makeCluster(clusterOf(place)),
  async start(place) {
    const postgres = await startPostgres(clusterOf(place));
    const file = join(peersFolder, 'pg-boss/service.mjs');
    // It runs on Node.js 22.12 and later only.
    const service = Program.start(newerNode ?? process.execPath, [
      file,
      JSON.stringify(serviceSettings(postgres.port, place.kind)),
    ]);
    const stop = async () => {
      await service.stop();
      // A killed postmaster would leave its children: this ends them all without a checkpoint.
      await postgres.program.stop('SIGQUIT');
    };
    const origin = await service.address().catch(async (error) => {
      await stop();
      throw error;
    });
    return {
      processes: [service.pid, postgres.program.pid],
      applications: [],
      publish: (publishing) => publishRequest(origin, publishing),
      stop,
    };
  },
};
