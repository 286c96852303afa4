/** Real servers over one shared log, which tests kill and stop. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leave } from '../support/leftovers.js';
import { PostgresServer } from '../support/program/postgres.js';
import { authorization, freePort, ServerProcess } from '../support/program/server-process.js';
import type { NodeNetwork, NodePlace } from './rounds/node-network.js';

/** The system that holds the shared log. */
export interface SharedLogServers {
  /** The log, as given in `STEPWELL_COMMIT_LOG`. */
  readonly url: string;
  /** Other environment variables that a node needs. */
  readonly environment?: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** A PostgreSQL and its synchronous standby. */
export class PostgresPair implements SharedLogServers {
  private constructor(
    readonly primary: PostgresServer,
    readonly standby: PostgresServer,
    private readonly host: string,
  ) {}

  /** Creates the pair; nodes of `network` can reach it, too. */
  static async create(network: NodeNetwork | null = null): Promise<PostgresPair> {
    const primary = await PostgresServer.create(network?.clusterNetwork);
    const host = network?.clusterHost ?? '127.0.0.1';
    return new PostgresPair(primary, await primary.follower(), host);
  }

  get urls(): readonly string[] {
    return [this.primary.url, this.standby.url];
  }

  get url(): string {
    return [this.primary, this.standby].map((server) => server.urlAt(this.host)).join(',');
  }

  /** As if its machine were destroyed: the standby accepts writes from now on. */
  async losePrimary(): Promise<void> {
    await this.primary.kill();
    this.standby.promote();
  }

  async end(): Promise<void> {
    await Promise.all([this.primary.kill(), this.standby.kill()]);
  }
}

/** The addresses to which nodes in namespaces may deliver. */
const nearby = '10.0.0.0/8';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** One node: its folder and ports outlive its processes. */
export class ClusterServer {
  process: ServerProcess | null = null;

  private constructor(
    readonly url: string,
    readonly folder: string,
    private readonly environment: Record<string, string>,
    private readonly wrapper: readonly string[],
  ) {}

  /** Creates a server in `place`, or in the namespace of this process if there is none. */
  static async create(log: SharedLogServers, place?: NodePlace): Promise<ClusterServer> {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-node-'));
    leave(folder);
    const port = await freePort();
    const environment = {
      STEPWELL_PORT: String(port),
      STEPWELL_COMMIT_LOG: log.url,
      STEPWELL_CLUSTER_LISTEN: `${place?.clusterHost ?? '127.0.0.1'}:${await freePort()}`,
      STEPWELL_CLUSTER_SECRET: 'secret-of-all-the-nodes',
      STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-all-nodes',
      STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-all-the-nodes',
      ...(place !== undefined && { STEPWELL_HOST: place.host, STEPWELL_ALLOW_NETWORKS: nearby }),
      ...log.environment,
    };
    const url = `http://${place?.host ?? '127.0.0.1'}:${port}`;
    return new ClusterServer(url, folder, environment, place?.wrapper ?? []);
  }

  async start(): Promise<void> {
    const port = Number(new URL(this.url).port);
    this.process = await ServerProcess.start(this.folder, port, this.environment, this.wrapper);
  }

  /** Kills the process at once. */
  async kill(): Promise<void> {
    await this.process?.kill();
    this.process = null;
  }

  /** Like a supervisor, starts the process again if it has ended. */
  async revive(): Promise<void> {
    if (this.process !== null && this.process.child.exitCode === null) return;
    await this.kill();
    await this.start();
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.process?.child.kill(name);
  }

  /** The node's answer, or null if there is none in time. */
  async ask(
    method: string,
    path: string,
    { body, headers = {}, withinMs = 2000 }: AskOptions = {},
  ): Promise<Answered | null> {
    try {
      const answer = await fetch(this.url + path, {
        method,
        headers: { authorization, ...headers },
        signal: AbortSignal.timeout(withinMs),
        ...(body !== undefined && { body }),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  }

  async isServing(): Promise<boolean> {
    const ready = await this.ask('GET', '/health/ready', { withinMs: 500 });
    return ready?.status === 200 && ready.text.includes('"serving"');
  }
}

interface AskOptions {
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly withinMs?: number;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

export class ServerCluster<Log extends SharedLogServers = SharedLogServers> {
  private constructor(
    readonly log: Log,
    readonly nodes: readonly ClusterServer[],
  ) {}

  /** Creates a cluster; ending it also ends its log. */
  static async create<Log extends SharedLogServers>(
    count: number,
    log: Log,
    places: readonly NodePlace[] = [],
  ): Promise<ServerCluster<Log>> {
    const nodes: ClusterServer[] = [];
    for (let index = 0; index < count; index += 1) {
      nodes.push(await ClusterServer.create(log, places[index]));
    }
    await Promise.all(nodes.map((node) => node.start()));
    return new ServerCluster(log, nodes);
  }

  /** Waits for a node that serves, and returns it. */
  async owner(except?: ClusterServer): Promise<ClusterServer> {
    for (;;) {
      for (const node of this.nodes) {
        if (node !== except && (await node.isServing())) return node;
      }
      await pause(20);
    }
  }

  async end(): Promise<void> {
    for (const node of this.nodes) node.signal('SIGCONT');
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.log.end();
  }
}
