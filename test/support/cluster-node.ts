/** A node of a cluster in this process, whose place in the cluster a test decides. */
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/engine/clock.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { Journal } from '../../src/engine/journal.js';
import { ProcessLife } from '../../src/engine/lifecycle/process-life.js';
import { BasicCredentials } from '../../src/http/identity/basic-auth.js';
import { BearerTokens } from '../../src/http/identity/bearer-token.js';
import { InboundMetrics } from '../../src/http/inbound.metrics.js';
import { applicationModule } from '../../src/server/app.module.js';
import type {
  ClusterStatus,
  FollowerStatus,
  Membership,
} from '../../src/server/cluster/membership.js';
import { type Environment, readConfiguration } from '../../src/server/configuration/config.js';
import { openCredentials } from '../../src/server/credentials/credentials.js';
import { createHttpServer } from '../../src/server/http-server.js';
import { InboundConnections } from '../../src/server/inbound/connections.js';
import type { Shared } from '../../src/server/shared.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { leave } from './leftovers.js';

/** What all nodes of a test have in common. */
const alike = {
  STEPWELL_PORT: '0',
  STEPWELL_TOKEN: 'shared-token-of-all-nodes-0123456789',
  STEPWELL_REST_USERNAME: 'rest',
  STEPWELL_REST_PASSWORD: 'shared-password-of-all-nodes-0123',
};

/** The bearer token that every node accepts. */
export const token = alike.STEPWELL_TOKEN;
/** `Authorization` values that every node accepts. */
export const bearer = `Bearer ${alike.STEPWELL_TOKEN}`;
export const basic = `Basic ${Buffer.from(
  `${alike.STEPWELL_REST_USERNAME}:${alike.STEPWELL_REST_PASSWORD}`,
).toString('base64')}`;
export const clusterSecret = 'what nodes sign with';

/** Where a node stands; a test changes it. */
export class Standing implements Membership {
  mayServe = false;
  otherOwner: string | null = null;
  followers: readonly FollowerStatus[] = [];
  handedOver = 0;
  heardMsAgo = 120;

  get mayAct(): boolean {
    return this.mayServe;
  }

  get status(): ClusterStatus {
    return {
      node: 'http://127.0.0.1:7070',
      version: '0.1.0',
      role: this.mayServe ? 'owner' : 'follower',
      epoch: 3,
      owner: this.otherOwner,
      place: 9,
      sequence: 7,
      appliedSequence: 7,
      heardMsAgo: this.heardMsAgo,
      clockSkewMs: 4,
      commitMs: this.mayServe ? 1.4 : null,
      followers: this.mayServe ? this.followers : null,
    };
  }

  async handOver(): Promise<void> {
    this.handedOver += 1;
  }
}

export interface ClusterNode {
  /** The public address, and the one for other nodes. */
  readonly url: string;
  readonly clusterUrl: string;
  readonly standing: Standing;
  readonly journal: Journal;
  /** Settles once the node has recovered; it waits until it may serve. */
  readonly recovered: Promise<void>;
  stop(): Promise<void>;
}

/** A node that listens, and recovers when it may serve. */
export async function startNode(environment: Environment = {}): Promise<ClusterNode> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-node-'));
  leave(dataDirectory);
  const read = readConfiguration({
    ...alike,
    STEPWELL_DATA_DIR: dataDirectory,
    ...environment,
  });
  const clusterPort = await freePort();
  const config = {
    ...read.config,
    clusterSecret,
    clusterListen: { hostname: '127.0.0.1', port: clusterPort },
  };
  const log = pino({ level: 'silent' });
  const ports = {
    clock: systemClock,
    identifiers: systemIdentifiers,
    disk: nodeDisk,
    consoleFolder: join(import.meta.dirname, '../../dist/console'),
    log,
    fatal: (error: unknown) => {
      throw error;
    },
  };
  const { credentials } = await openCredentials(config, nodeDisk, systemIdentifiers);
  const life = new ProcessLife(systemClock, log);
  const registry = new Registry();
  const inbound = new InboundMetrics(registry);
  const standing = new Standing();
  const shared: Shared = {
    config,
    credentials,
    ports,
    life,
    registry,
    inbound,
    bearer: new BearerTokens(credentials.tokens, credentials.readTokens),
    basic: new BasicCredentials(credentials.restUsername, credentials.restPassword),
    openPast: null,
    cluster: null,
    membership: standing,
    tracer: null,
  };
  const limits = { connections: 256, connectionsPerAddress: 256 };
  const connections = new InboundConnections(limits, { clock: systemClock, log, metrics: inbound });
  let isWaiting = true;
  const nest = await createHttpServer(shared, connections, applicationModule);
  life.addRecoverable({
    name: 'the log',
    recover: async () => {
      while (isWaiting && !standing.mayServe) await new Promise((next) => setTimeout(next, 5));
    },
  });
  const fastify = nest.getHttpAdapter().getInstance();
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  const recovered = life.recover();
  return {
    url: `http://127.0.0.1:${(nest.getHttpServer().address() as AddressInfo).port}`,
    clusterUrl: `http://127.0.0.1:${clusterPort}`,
    standing,
    journal: nest.get(Journal),
    recovered,
    async stop() {
      isWaiting = false;
      await recovered;
      connections.drain();
      nest.getHttpServer().closeAllConnections();
      await nest.close();
      await life.stop('the test is over');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
