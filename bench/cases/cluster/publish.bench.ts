/**
 * Publish where the journal is shared over a PostgreSQL of this machine, beside publish on a folder
 * alone. Messages are due in an hour: none is sent.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { PostgresLog } from '../../../src/cluster/postgres/postgres-log.js';
import { delayed, delayedPublishes, underLoad } from '../../load/load.js';
import { journalBytes } from '../../load/message-events.js';
import type { Case, Contest, Contestant } from '../../measure/contest.js';
import type { MeasuredProcess } from '../../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../../measure/measurement.js';
import { median } from '../../measure/statistics.js';
import { startStepwell } from '../../measure/stepwell-server.js';
import { postgresPart } from '../../peers/processes/postgres-server.js';
import { ClusterNodes } from './cluster-nodes.js';

/** The goal is of many in flight. */
export const clusterCases: readonly Case[] = [1, 16, 64, 256].map(
  (connections): Case => ({
    scenario: 'cluster',
    name: `publish 1 KiB over PostgreSQL, ${connections} in flight`,
    beside: 'its folder alone',
    unit: 'messages',
    goal: connections < 64 ? null : 0.8,
    ...(postgresPart.version === null && { impossible: `it needs PostgreSQL: ${postgresPart.by}` }),
    compares: 'rate',
    share: 1,
    contest: (directory) => clusterContest(directory, connections),
  }),
);

async function clusterContest(directory: string, connections: number): Promise<Contest> {
  const nodes = await ClusterNodes.make(directory);
  const owner = await nodes.startOwner('owner');
  const alone = await startStepwell(join(directory, 'alone'));
  const stop = async () => {
    await nodes.stop();
    await alone.stop();
  };
  return { stepwell: publishes(owner, connections), beside: publishes(alone, connections), stop };
}

function publishes(server: MeasuredProcess, connections: number): Contestant {
  return underLoad(server, delayedPublishes(connections));
}

const waitMeasurement: Measurement = {
  scenario: 'cluster',
  name: 'one publish of 1 KiB at a time over PostgreSQL',
  isLong: false,
  measure: measureWait,
};

/** None where PostgreSQL is not installed. */
export const clusterMeasurements: readonly Measurement[] =
  postgresPart.version === null ? [] : [waitMeasurement];

const roundSeconds = 1;
const commitsPerRound = 500;

/** Medians of rounds: what one publish waits for on either side, and one commit by itself. */
async function measureWait({ directory, rounds }: MeasurementTools): Promise<readonly Figure[]> {
  const nodes = await ClusterNodes.make(directory);
  const alone = await startStepwell(join(directory, 'alone'));
  const commits = await Commits.open(nodes.url);
  try {
    const owner = publishes(await nodes.startOwner('owner'), 1);
    const beside = publishes(alone, 1);
    const found: Record<'owner' | 'alone' | 'commit', number[]> = {
      owner: [],
      alone: [],
      commit: [],
    };
    // The first round of each warms it.
    for (let round = -1; round < rounds; round += 1) {
      const waits = {
        owner: median((await owner.run(roundSeconds)).latencies),
        alone: median((await beside.run(roundSeconds)).latencies),
        commit: median(await commits.take(commitsPerRound)),
      };
      if (round < 0) continue;
      for (const side of ['owner', 'alone', 'commit'] as const) found[side].push(waits[side]);
    }
    const beyond = found.owner.map((owned, round) => {
      return owned - (found.alone[round] ?? Number.NaN) - (found.commit[round] ?? Number.NaN);
    });
    return [
      { name: 'p50, ms', value: median(found.owner), goal: null },
      { name: 'p50 on a folder alone, ms', value: median(found.alone), goal: null },
      {
        name: 'p50 of one commit of PostgreSQL by itself, ms',
        value: median(found.commit),
        goal: null,
      },
      { name: 'p50 beyond both, ms', value: median(beyond), goal: { atMost: 0.5 } },
    ];
  } finally {
    await commits.close();
    await alone.stop();
    await nodes.stop();
  }
}

/** Commits of as many bytes as a publish is in the journal, one after the other. */
class Commits {
  private place = 0;

  private constructor(
    private readonly log: PostgresLog,
    private readonly bytes: Buffer,
  ) {}

  static async open(url: string): Promise<Commits> {
    const at = Date.now();
    const { body, destination } = delayed;
    const message = { number: 0, url: destination, body, at, notBefore: at };
    const log = new PostgresLog({ urls: [url], shard: 'commits' });
    return new Commits(log, randomBytes(journalBytes(message).published));
  }

  /** Milliseconds, one for each. */
  async take(count: number): Promise<readonly number[]> {
    const latencies: number[] = [];
    for (let taken = 0; taken < count; taken += 1) {
      const startedAt = performance.now();
      const { kind } = await this.log.append(this.place, this.bytes);
      if (kind !== 'stored') throw new Error(`a commit was ${kind}`);
      this.place += 1;
      latencies.push(performance.now() - startedAt);
    }
    return latencies;
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
