/** Starts after a kill with very many messages that wait: from a snapshot, and without one. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { publishInBatches } from '../load/message-batches.js';
import { machineTime } from '../measure/machine-time.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { median } from '../measure/statistics.js';
import { startStepwell } from '../measure/stepwell-server.js';

const body = 'x'.repeat(1024);

/** What a start folds at most: as much as a snapshot is made for. */
const unfoldedMax = 64 * 1024 * 1024;

/** Takes minutes: each message is published. */
export function startMeasurements(messages: number): readonly Measurement[] {
  return [
    {
      scenario: 'starts',
      name: `${messages.toLocaleString('en')} messages of 1 KiB, due in an hour, after a kill`,
      isLong: true,
      measure: (tools) => measure(messages, tools),
    },
  ];
}

/** One start: until it is ready, and the process time of all its threads. */
interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
}

async function measure(
  messages: number,
  { directory, rounds }: MeasurementTools,
): Promise<readonly Figure[]> {
  const data = join(directory, 'stepwell');
  const empty = await started(data);
  const idle = await empty.server.memory();
  const item = { destination: 'https://example.com/', headers: { 'svc-delay': '1h' }, body };
  await publishInBatches(empty.server, messages, () => item);
  const filled = await empty.server.memory();
  await snapshotMade(empty.server);
  await empty.server.stop();
  const fromSnapshot: Start[] = [];
  let restarted = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { server, start } = await started(data);
    fromSnapshot.push(start);
    restarted = (await server.memory()).residentBytes;
    await server.stop();
  }
  await rm(join(data, 'snapshots'), { recursive: true });
  const folded = await started(data);
  await folded.server.stop();
  const perMessage = (bytes: number) => (bytes - idle.residentBytes) / messages;
  const goal = messages >= 1_000_000 ? 2000 : 800;
  return [
    figure('empty folder: ready after, ms', empty.start.readyMs),
    figure(
      'from a snapshot: ready after, ms',
      median(fromSnapshot.map((each) => each.readyMs)),
      goal,
    ),
    figure('from a snapshot: process time, ms', median(fromSnapshot.map(({ cpuMs }) => cpuMs))),
    figure('everything folded: ready after, ms', folded.start.readyMs),
    figure('everything folded: process time, ms', folded.start.cpuMs),
    figure('filled: RSS of one message, B', perMessage(filled.residentBytes)),
    figure('from a snapshot: RSS of one message, B', perMessage(restarted), 300),
  ];
}

function figure(name: string, value: number, atMost?: number): Figure {
  return { name, value, goal: atMost === undefined ? null : { atMost } };
}

async function started(data: string) {
  const at = machineTime();
  const server = await startStepwell(data);
  const readyMs = machineTime() - at;
  const { cpuMicroseconds } = await server.usage();
  return { server, start: { readyMs, cpuMs: cpuMicroseconds / 1000 } };
}

/** Settles when a start would fold little. */
async function snapshotMade({ address }: MeasuredProcess): Promise<void> {
  for (;;) {
    const { body: answer } = await request(`${address}/metrics`);
    const metrics = await answer.text();
    const bytes = /^stepwell_snapshot_unfolded_bytes (\S+)$/m.exec(metrics)?.[1];
    if (Number(bytes) < unfoldedMax) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
