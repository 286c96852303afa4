/** `stepwell journal replay` of a history in which everything happens, beside the live memory. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { machineTime } from '../../measure/machine-time.js';
import type { Figure, Measurement } from '../../measure/measurement.js';
import { median } from '../../measure/statistics.js';
import { copyHistory } from '../../month/copied-history.js';
import { MonthLoad } from '../../month/month-load.js';
import { MonthServer } from '../../month/month-server.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const exitUsage = join(root, 'bench/measure/exit-usage.js');
const program = join(root, 'src/main.js');

/** What the server does itself, in so many steps with half a day between them. */
const steps = 6;
const stepMs = 43_200_000;
const messagesOfStep = 500;

const millionEvents = 1_000_000;

/** `events` are those of the journal, or some thousands more. */
export function mixedReplayMeasurements(events: number): readonly Measurement[] {
  return [
    {
      scenario: 'mixed-replay',
      name: `\`journal replay\` of ${events.toLocaleString('en')} events of all kinds`,
      isLong: true,
      async measure({ directory, rounds }) {
        const live = await mixedHistory(directory);
        const { digest } = await replay(directory, live.offset);
        if (digest !== live.digest) throw new Error('the digest is not that of the live server');
        const end = await copyHistory(directory, events);
        const replays: Replay[] = [];
        for (let round = 0; round < rounds; round += 1) replays.push(await replay(directory, end));
        const each = (of: (replay: Replay) => number) => median(replays.map(of));
        const share = millionEvents / end;
        return [
          figure('events that the server recorded itself', live.offset),
          figure('events', end),
          figure(
            'all of it, s',
            each(({ seconds }) => seconds),
          ),
          figure(
            'process time, s',
            each(({ cpuSeconds }) => cpuSeconds),
          ),
          figure('of a million events, s', each(({ seconds }) => seconds) * share, { atMost: 3 }),
        ];
      },
    },
  ];
}

/** What the server remembered when its journal had grown up to an offset. */
interface LiveMemory {
  readonly offset: number;
  /** Hexadecimal. */
  readonly digest: string;
}

/** One whole run of the command. */
interface Replay {
  /** Hexadecimal. */
  readonly digest: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Makes a journal by the real server, which all kinds of things happen to. */
async function mixedHistory(data: string): Promise<LiveMemory> {
  const server = await MonthServer.start(data);
  try {
    const load = new MonthLoad(server);
    await load.begin();
    for (let step = 0; step < steps; step += 1) {
      await load.publish(messagesOfStep);
      await server.rest();
      await server.pass(stepMs);
    }
    return { offset: server.journalEnd, digest: digestOf(itemsOf(server.engine)).hex };
  } finally {
    await server.stop();
  }
}

async function replay(data: string, until: number): Promise<Replay> {
  const at = machineTime();
  const args = ['journal', 'replay', '--data-dir', data, '--until', String(until)];
  const { stdout } = await run(process.execPath, ['--import', exitUsage, program, ...args]);
  const seconds = (machineTime() - at) / 1000;
  const [, digest] = /^digest ([0-9a-f]+) at/m.exec(stdout) ?? [];
  const [, used] = /^process time (\d+)$/m.exec(stdout) ?? [];
  if (digest === undefined) throw new Error(`a replay without a digest:\n${stdout}`);
  return { digest, seconds, cpuSeconds: Number(used) / 1e6 };
}

function figure(name: string, value: number, goal: Figure['goal'] = null): Figure {
  return { name, value, goal };
}
