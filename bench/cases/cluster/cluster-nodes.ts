/** Nodes of a cluster over a PostgreSQL of this machine. */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import type { MeasuredProcess } from '../../measure/measured-process.js';
import { basic, startStepwell } from '../../measure/stepwell-server.js';
import { ownPort } from '../../peers/processes/ports.js';
import { makeCluster, startPostgres } from '../../peers/processes/postgres-server.js';

/** How a node says that it stands. */
interface NodeStatus {
  readonly role: string;
  readonly sequence: number;
  readonly appliedSequence: number;
}

export class ClusterNodes {
  private readonly nodes: MeasuredProcess[] = [];

  private constructor(
    private readonly directory: string,
    private readonly program: { stop(): Promise<unknown> },
    /** Of the shared log. */
    readonly url: string,
  ) {}

  /** With the PostgreSQL, and without nodes; `directory` is empty and its own. */
  static async make(directory: string): Promise<ClusterNodes> {
    // PostgreSQL runs as a user of its own where this runs as root.
    for (const path of [dirname(directory), directory]) await chmod(path, 0o755);
    await makeCluster(join(directory, 'postgres'));
    const { program, port } = await startPostgres(join(directory, 'postgres'));
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    return new ClusterNodes(directory, program, url);
  }

  /** Starts the node that has this folder. */
  async start(name: string): Promise<MeasuredProcess> {
    const settings = {
      STEPWELL_COMMIT_LOG: this.url,
      STEPWELL_CLUSTER_LISTEN: `127.0.0.1:${await ownPort()}`,
      STEPWELL_CLUSTER_SECRET: 'secret-of-the-bench',
      STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-the-bench',
      STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-the-bench',
    };
    const node = await startStepwell(join(this.directory, name), 0, process.execPath, settings);
    this.nodes.push(node);
    return node;
  }

  /** As `start`, of the first node: it serves when this settles. */
  async startOwner(name: string): Promise<MeasuredProcess> {
    const owner = await this.start(name);
    await until(async () => (await statusOf(owner)).role === 'owner');
    return owner;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    await this.program.stop();
  }
}

/** Settles once `node` has all that `owner` had committed when this began. */
export async function inStep(node: MeasuredProcess, owner: MeasuredProcess): Promise<void> {
  const { sequence } = await statusOf(owner);
  await until(async () => (await statusOf(node)).appliedSequence >= sequence);
}

async function statusOf(node: MeasuredProcess): Promise<NodeStatus> {
  const { body: answer } = await request(`${node.address}/admin/cluster`, {
    headers: { authorization: basic },
  });
  return (await answer.json()) as NodeStatus;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
