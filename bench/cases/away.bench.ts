/**
 * A node of a cluster that was away while the others went on: how long it takes until it is in step
 * with the owner again. The log that they share is a PostgreSQL of this machine.
 */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { publishInBatches } from '../load/message-batches.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { Sink } from '../measure/sink.js';
import { basic, startStepwell } from '../measure/stepwell-server.js';
import { ownPort } from '../peers/processes/ports.js';
import { makeCluster, startPostgres } from '../peers/processes/postgres-server.js';

const messagesPerSecond = 500;
const hourSeconds = 3600;
const body = 'x'.repeat(1024);

/** Takes minutes. It is away for `seconds` of 500 messages a second, each delivered once. */
export function awayMeasurements(seconds: number): readonly Measurement[] {
  const messages = messagesPerSecond * seconds;
  return [
    {
      scenario: 'away',
      name: `a node was away for ${seconds} s of ${messagesPerSecond} messages of 1 KiB a second`,
      isLong: true,
      measure: (tools) => measureAway(tools, messages, seconds === hourSeconds ? 30 : null),
    },
  ];
}

async function measureAway(
  { directory }: MeasurementTools,
  messages: number,
  goal: number | null,
): Promise<readonly Figure[]> {
  // PostgreSQL runs as a user of its own where this runs as root.
  for (const path of [dirname(directory), directory]) await chmod(path, 0o755);
  await makeCluster(join(directory, 'postgres'));
  const { program, port } = await startPostgres(join(directory, 'postgres'));
  const sink = await Sink.start();
  const nodes: MeasuredProcess[] = [];
  const start = async (name: string) => {
    const settings = settingsOf(port, await ownPort());
    const node = await startStepwell(join(directory, name), 0, process.execPath, settings);
    nodes.push(node);
    return node;
  };
  try {
    const owner = await start('owner');
    await until(async () => (await statusOf(owner)).role === 'owner');
    const before = await start('follower');
    await inStep(before, owner);
    await before.stop();
    const destination = `${sink.origin}/`;
    await publishInBatches(owner, messages, () => ({ destination, body }));
    await sink.arrivals(messages);
    const startedAt = performance.now();
    const back = await start('follower');
    const startSeconds = (performance.now() - startedAt) / 1000;
    await inStep(back, owner);
    const seconds = (performance.now() - startedAt) / 1000;
    const { cpuMicroseconds, residentBytes } = await back.usage();
    return [
      {
        name: 'in step again after, s',
        value: seconds,
        goal: goal === null ? null : { atMost: goal },
      },
      { name: 'of which it started for, s', value: startSeconds, goal: null },
      { name: 'its process time, s', value: cpuMicroseconds / 1e6, goal: null },
      {
        name: 'an hour would take, at the pace after its start, s',
        value:
          startSeconds + ((seconds - startSeconds) * messagesPerSecond * hourSeconds) / messages,
        goal: null,
      },
      { name: 'RSS, MiB', value: residentBytes / 1024 ** 2, goal: null },
    ];
  } finally {
    for (const node of nodes) await node.stop();
    await sink.stop();
    await program.stop();
  }
}

function settingsOf(postgres: number, listen: number): Record<string, string> {
  return {
    STEPWELL_COMMIT_LOG: `postgres://postgres@127.0.0.1:${postgres}/postgres`,
    STEPWELL_CLUSTER_LISTEN: `127.0.0.1:${listen}`,
    STEPWELL_CLUSTER_SECRET: 'secret-of-the-bench',
    STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-the-bench',
    STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-the-bench',
  };
}

interface Status {
  readonly role: string;
  readonly sequence: number;
  readonly appliedSequence: number;
}

async function statusOf(node: MeasuredProcess): Promise<Status> {
  const { body: answer } = await request(`${node.address}/admin/cluster`, {
    headers: { authorization: basic },
  });
  return (await answer.json()) as Status;
}

/** It has all that the owner had committed when this began. */
async function inStep(node: MeasuredProcess, owner: MeasuredProcess): Promise<void> {
  const { sequence } = await statusOf(owner);
  await until(async () => (await statusOf(node)).appliedSequence >= sequence);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
