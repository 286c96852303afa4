/** Servers in this process that share a log. */

import { freePort } from '../program/server-process.js';
import { startServer, type TestServer, type TestServerOptions } from '../server.js';
import { MemoryLog } from './memory-log.js';

export const clusterSecret = 'secret-of-all-the-nodes';

const alike = {
  STEPWELL_COMMIT_LOG: 'postgres://127.0.0.1/not-asked',
  STEPWELL_CLUSTER_SECRET: clusterSecret,
  STEPWELL_TOKEN: 'token-of-all-the-nodes-0123456789',
  STEPWELL_REST_USERNAME: 'rest',
  STEPWELL_REST_PASSWORD: 'password-of-all-the-nodes-0123',
  STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-all-nodes',
  STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-all-the-nodes',
};

export interface TestNode extends TestServer {
  /** What has ended it, as its process would have been ended. */
  readonly failures: readonly unknown[];
}

export class TestCluster {
  readonly log = new MemoryLog();
  private readonly nodes: TestNode[] = [];

  /** A node that follows, or owns the log if it is the first; it listens at a port of its own. */
  async start(options: TestServerOptions = {}): Promise<TestNode> {
    const failures: unknown[] = [];
    const server = await startServer({
      ...options,
      environment: {
        ...alike,
        STEPWELL_CLUSTER_LISTEN: `127.0.0.1:${await freePort()}`,
        ...options.environment,
      },
      ports: {
        commitLog: this.log.open(),
        fatal: (error) => failures.push(error),
        ...options.ports,
      },
    });
    const node = { ...server, failures };
    this.nodes.push(node);
    return node;
  }

  /** All are stopped before a folder goes: a node may go on with that of an earlier one. */
  async remove(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    for (const node of this.nodes) await node.remove();
  }
}

/** Settles once `node` serves what it is asked for. */
export async function serves(node: TestServer): Promise<void> {
  while (node.application.life.status.state !== 'serving') await pause();
}

/** Waits until it is so; a test that waits in vain is ended by its deadline. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause();
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
