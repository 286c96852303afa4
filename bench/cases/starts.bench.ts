/**
 * Starts: on an empty folder, and after a kill with very much that waits or very much that was; and
 * what that holds in memory.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { writeMessages } from '../load/written-messages.js';
import { writeRuns } from '../load/written-runs.js';
import { machineTime } from '../measure/machine-time.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Goal, Measurement, MeasurementTools } from '../measure/measurement.js';
import { sleepingRun } from '../measure/sleeping-run.js';
import { median } from '../measure/statistics.js';
import { startStepwell } from '../measure/stepwell-server.js';

const hourMs = 3_600_000;
const mebibyte = 1024 ** 2;

/** Messages behind the snapshot: half of what the server lets the journal grow before the next. */
const messagesBehind = 25_000;
const numberBehind = 1e9;

/** `STEPWELL_SNAPSHOT_EVERY` as it is shipped. */
const unfoldedMax = 64 * mebibyte;

/** By then a server has kept what V8 has made of its program (ADR 43). */
const keptAfterMs = 5000;

/** Takes minutes. `scale` is 1 for the sizes of the table, which alone have goals of time. */
export function startMeasurements(scale: number): readonly Measurement[] {
  const size = (count: number) => Math.max(1, Math.round(count * scale));
  const named = (count: number, rest: string) => `${count.toLocaleString('en')} ${rest}`;
  const measurement = (name: string, measure: Measurement['measure']): Measurement => ({
    scenario: 'starts',
    name,
    isLong: true,
    measure,
  });
  const goalAt = (goalMs: number) => (scale === 1 ? goalMs : null);
  const waiting = (count: number, goalMs: number | null) =>
    measurement(named(count, 'messages of 1 KiB due in an hour, after a kill'), (tools) =>
      measureStarts(tools, {
        fill: (data) => writeMessages(data, { first: 0, count, areDelivered: false }),
        count,
        noun: 'message',
        readyMs: goalMs,
        residentBytes: 300,
      }),
    );
  const sleeping = (count: number, goalMs: number | null) =>
    measurement(named(count, 'runs asleep in their first step, after a kill'), (tools) =>
      measureStarts(tools, {
        fill: async (data) => {
          const { run, sleepers } = await sleepingRun(join(tools.directory, 'one'));
          await sleepers.stop();
          await writeRuns(data, run, count, () => Date.now() + hourMs);
        },
        count,
        noun: 'run',
        readyMs: goalMs,
        residentBytes: 1024,
      }),
    );
  return [
    measurement('an empty folder', measureEmpty),
    waiting(size(100_000), goalAt(800)),
    waiting(size(1_000_000), goalAt(2000)),
    sleeping(size(100_000), goalAt(1500)),
    sleeping(size(1_000_000), null),
    measurement(
      `${named(size(1_000_000), 'runs asleep')}, of which ${named(size(10_000), 'wake')}`,
      (tools) => measureWaking(tools, size(1_000_000), size(10_000)),
    ),
    measurement(
      `${named(size(10_000_000), 'events of history')}, beside ${named(size(100_000), 'of them')}`,
      (tools) => measureHistory(tools, size(10_000_000), size(100_000)),
    ),
  ];
}

/** One start: until it is ready, and the process time of all its threads. */
interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
}

async function measureEmpty({ directory, rounds }: MeasurementTools): Promise<readonly Figure[]> {
  await keepCode(join(directory, 'first'));
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { server, start } = await started(join(directory, `empty-${round}`));
    starts.push(start);
    await server.stop();
  }
  return startFigures('', starts, 500);
}

/** The first server of a build compiles all of its program, and keeps that for those after it. */
async function keepCode(data: string): Promise<void> {
  const { server } = await started(data);
  await new Promise((resolve) => setTimeout(resolve, keptAfterMs));
  await server.stop();
}

interface Filled {
  /** Fills a new folder. */
  fill(data: string): Promise<void>;
  readonly count: number;
  readonly noun: string;
  readonly readyMs: number | null;
  /** Resident memory of one of them, at most. */
  readonly residentBytes: number;
}

async function measureStarts(
  { directory, rounds }: MeasurementTools,
  { fill, count, noun, readyMs, residentBytes }: Filled,
): Promise<readonly Figure[]> {
  await keepCode(join(directory, 'first'));
  const idle = await restingMemory(join(directory, 'first'));
  const data = join(directory, 'stepwell');
  await fill(data);
  const folded = await started(data);
  await snapshotMade(folded.server);
  await folded.server.stop();
  const held = await restingMemory(data);
  await writeMessages(data, { first: numberBehind, count: messagesBehind, areDelivered: false });
  const starts = await startedAgain(data, rounds);
  const perItem = (held - idle) / count;
  return [
    ...startFigures('', starts, readyMs),
    figure('everything folded: ready after, ms', folded.start.readyMs),
    figure(`RSS of one ${noun}, B`, perItem, { atMost: residentBytes }),
    figure('RSS in all, MiB', held / mebibyte, { atMost: 1536 }),
  ];
}

/** Some are due when their server starts; each of them is called and ends. */
async function measureWaking(
  { directory }: MeasurementTools,
  runs: number,
  woken: number,
): Promise<readonly Figure[]> {
  const { run, sleepers, port } = await sleepingRun(join(directory, 'one'));
  try {
    const data = join(directory, 'stepwell');
    const isWoken = (number: number) => number % Math.floor(runs / woken) === 0;
    const dueAt = (number: number) => Date.now() + (isWoken(number) ? 0 : hourMs);
    await writeRuns(data, run, runs, dueAt);
    const server = await startStepwell(data, port);
    const at = machineTime();
    const { lastAt } = await sleepers.arrivals(woken);
    const { residentBytes: highest } = await server.usage();
    const { residentBytes } = await server.memory();
    await server.stop();
    return [
      figure('the last of them is called after, ms', lastAt - at),
      figure('RSS in all, MiB', highest / mebibyte, { atMost: 1536 }),
      figure('the same after a collection, MiB', residentBytes / mebibyte),
    ];
  } finally {
    await sleepers.stop();
  }
}

/** The same state behind two histories, of which one is a hundred times as long. */
async function measureHistory(
  { directory, rounds }: MeasurementTools,
  events: number,
  fewer: number,
): Promise<readonly Figure[]> {
  await keepCode(join(directory, 'first'));
  const found: (readonly Start[])[] = [];
  for (const count of [events, fewer]) {
    const data = join(directory, `history-${count}`);
    const delivered = { first: 0, count: Math.ceil(count / 2), areDelivered: true };
    await writeMessages(data, delivered);
    const { server } = await started(data);
    await snapshotMade(server);
    await server.stop();
    await writeMessages(data, { first: numberBehind, count: messagesBehind, areDelivered: false });
    found.push(await startedAgain(data, rounds));
    await rm(data, { recursive: true });
  }
  const [many = [], few = []] = found;
  const readyOf = (starts: readonly Start[]) => median(starts.map(({ readyMs }) => readyMs));
  return [
    ...startFigures('many: ', many, null),
    ...startFigures('few: ', few, null),
    figure('ready after, many over few', readyOf(many) / readyOf(few), { atMost: 1.2 }),
  ];
}

/** Starts of a folder whose server was killed each time. */
async function startedAgain(data: string, rounds: number): Promise<readonly Start[]> {
  const starts: Start[] = [];
  // One more, which is not counted: it finds the folder closed by the bench.
  for (let round = -1; round < rounds; round += 1) {
    const { server, start } = await started(data);
    if (round >= 0) starts.push(start);
    await server.stop();
  }
  return starts;
}

function startFigures(
  what: string,
  starts: readonly Start[],
  goalMs: number | null,
): readonly Figure[] {
  const goal = goalMs === null ? null : { atMost: goalMs };
  return [
    figure(`${what}ready after, ms`, median(starts.map(({ readyMs }) => readyMs)), goal),
    figure(`${what}process time, ms`, median(starts.map(({ cpuMs }) => cpuMs))),
  ];
}

function figure(name: string, value: number, goal: Goal | null = null): Figure {
  return { name, value, goal };
}

async function started(data: string) {
  const at = machineTime();
  const server = await startStepwell(data);
  const readyMs = machineTime() - at;
  const { cpuMicroseconds } = await server.usage();
  return { server, start: { readyMs, cpuMs: cpuMicroseconds / 1000 } };
}

/** Resident bytes of a server that has just started on this folder, after a collection. */
async function restingMemory(data: string): Promise<number> {
  const { server } = await started(data);
  const { residentBytes } = await server.memory();
  await server.stop();
  return residentBytes;
}

/** Settles when a start would fold no more than the server lets the journal grow for it. */
async function snapshotMade({ address }: MeasuredProcess): Promise<void> {
  for (;;) {
    const { body } = await request(`${address}/metrics`);
    const bytes = /^stepwell_snapshot_unfolded_bytes (\S+)$/m.exec(await body.text())?.[1];
    if (Number(bytes) < unfoldedMax) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
