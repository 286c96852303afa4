/**
 * `node test/crash/run-follower-kills.ts [--rounds 20] [--seed 1]`, after a build and with the
 * NODE_OPTIONS of `npm run jest`: two real nodes over a PostgreSQL are killed under load, in the
 * middle of their sweeps. Exit code 1 where something was lost, or where the journals of both do
 * not come to the same memory.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFolder } from '../../src/cli/journal/journal-reader.js';
import { verifyFolder } from '../../src/cli/journal/journal-verify.js';
import type { Journal } from '../../src/engine/journal.js';
import { digestOf, itemsOf } from '../../src/engine/snapshots/state-digest.js';
import type { ClusterStatus } from '../../src/server/cluster/membership.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { sweepStretch } from '../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../src/server/history/product-folding.js';
import { foldJournal } from '../../src/server/journal/folded-journal.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { leave, removeLeftovers } from '../support/leftovers.js';
import { PostgresServer } from '../support/program/postgres.js';
import { authorization, basic, freePort } from '../support/program/server-process.js';
import { SoakedServer } from '../support/program/soaked-server.js';

const perBatch = 20;

/** A sweep is worth it several times a second while messages are published. */
const dieWithinMs = 15_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server of a cluster; its folder and ports outlive its processes. */
class Node {
  private server: SoakedServer | null = null;

  private constructor(
    readonly folder: string,
    readonly url: string,
    private readonly environment: Record<string, string>,
  ) {}

  static async create(log: PostgresServer): Promise<Node> {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-follower-'));
    leave(folder);
    return new Node(folder, `http://127.0.0.1:${await freePort()}`, {
      STEPWELL_COMMIT_LOG: log.url,
      STEPWELL_CLUSTER_LISTEN: `127.0.0.1:${await freePort()}`,
      STEPWELL_CLUSTER_SECRET: 'secret-of-all-the-nodes',
      STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-all-nodes',
      STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-all-the-nodes',
      STEPWELL_LOG_RETENTION: '1s',
    });
  }

  async start(): Promise<void> {
    const { folder, environment } = this;
    const port = Number(new URL(this.url).port);
    this.server = await SoakedServer.start(folder, join(folder, 'state'), port, 0, environment);
  }

  /** Whether a sweep was under way when it died. */
  dieAt(changes: number): Promise<boolean> {
    if (this.server === null) throw new Error('the node does not run');
    return this.server.dieAt(changes, dieWithinMs);
  }

  async stop(): Promise<void> {
    await this.server?.kill('SIGTERM');
  }

  /** Null = it does not answer. */
  async status(): Promise<ClusterStatus | null> {
    const headers = { authorization: basic };
    const signal = AbortSignal.timeout(2000);
    return fetch(`${this.url}/admin/cluster`, { headers, signal })
      .then((answer) => answer.json() as Promise<ClusterStatus>)
      .catch(() => null);
  }
}

/** Publishes through any node until it is asked to end; knows what was acknowledged. */
class Publisher {
  readonly acknowledged = new Set<string>();
  private isOver = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly nodes: readonly Node[],
    private readonly destination: string,
  ) {}

  start(): void {
    this.ended = this.run();
  }

  end(): Promise<void> {
    this.isOver = true;
    return this.ended;
  }

  private async run(): Promise<void> {
    for (let number = 0; !this.isOver; number += 1) {
      const bodies = Array.from({ length: perBatch }, (_, at) => `${number}-${at}`.padEnd(300));
      const batch = bodies.map((body) => ({ destination: this.destination, body }));
      const answer = await fetch(`${this.nodes[number % 2]?.url}/v2/batch`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify(batch),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      if (answer?.status === 200) for (const body of bodies) this.acknowledged.add(body);
      await answer?.text().catch(() => '');
      await pause(answer === null ? 200 : 20);
    }
  }
}

async function ownerOf(nodes: readonly Node[]): Promise<Node> {
  for (;;) {
    for (const node of nodes) if ((await node.status())?.role === 'owner') return node;
    await pause(50);
  }
}

async function endOf(folder: string): Promise<number> {
  let end = 0;
  await readFolder(folder, newFolding().codec, async (_store, journal) => {
    end = journal?.highWatermark ?? 0;
  });
  return end;
}

function newFolding() {
  const { config } = readConfiguration({});
  const stretch = sweepStretch(config, { segmentBytes: 32 * 1024 });
  return productFolding({ ...config, sweepStretch: stretch });
}

/** What a folder's journal says that memory was at `until`. */
async function memoryOf(folder: string, until: number): Promise<string> {
  const folding = newFolding();
  await readFolder(folder, folding.codec, async (_store, journal: Journal | null) => {
    if (journal !== null) await foldJournal(folding, journal, until);
  });
  return digestOf(itemsOf(folding.engine)).hex;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
const random = new SeededRandom(Number(values.seed));

/** Answers how many times a node died in the middle of a sweep. */
async function killInSweeps(nodes: readonly Node[]): Promise<number> {
  let inSweeps = 0;
  for (let round = 0; round < rounds; round += 1) {
    const owner = await ownerOf(nodes);
    const victim = nodes.find((node) => (round % 3 === 2 ? node === owner : node !== owner));
    if (await victim?.dieAt(1 + random.below(40))) inSweeps += 1;
    await victim?.start();
  }
  return inSweeps;
}

/** Settles once the follower has all that the owner has, and both have ended. */
async function endInStep(nodes: readonly Node[]): Promise<void> {
  const owner = await ownerOf(nodes);
  const follower = nodes.find((node) => node !== owner);
  const isInStep = async () => {
    const [led, followed] = [await owner.status(), await follower?.status()];
    return led !== null && led.sequence === followed?.appliedSequence;
  };
  while (!(await isInStep())) await pause(50);
  await follower?.stop();
  await owner.stop();
}

try {
  const postgres = await PostgresServer.create();
  const endpoint = await RecordingEndpoint.start();
  const nodes = [await Node.create(postgres), await Node.create(postgres)];
  for (const node of nodes) await node.start();
  const publisher = new Publisher(nodes, `${endpoint.url}/many`);
  publisher.start();
  const inSweeps = await killInSweeps(nodes);
  await publisher.end();
  const isDelivered = () => {
    const seen = new Set(endpoint.requests.map(({ body }) => `${body}`));
    return [...publisher.acknowledged].every((body) => seen.has(body));
  };
  while (!isDelivered()) await pause(50);
  await endInStep(nodes);
  const folders = nodes.map(({ folder }) => folder);
  const until = Math.min(...(await Promise.all(folders.map(endOf))));
  const digests = await Promise.all(folders.map((folder) => memoryOf(folder, until)));
  const verified = await Promise.all(folders.map((folder) => verifyFolder(folder)));
  const problems = verified.flatMap((one) => one.problems);
  const acknowledged = publisher.acknowledged.size;
  console.log(JSON.stringify({ rounds, inSweeps, acknowledged, until, digests, problems }));
  if (new Set(digests).size > 1 || problems.length > 0) process.exitCode = 1;
  await postgres.kill();
  await endpoint.stop();
} finally {
  await removeLeftovers();
}
