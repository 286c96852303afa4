/** What waits in great numbers for its time: what it holds, and how long a restart takes. */
import { join } from 'node:path';
import { machineTime } from '../measure/machine-time.js';
import type { MeasuredProcess, Memory } from '../measure/measured-process.js';
import type { Figure, Goal } from '../measure/measurement.js';
import type { Sink } from '../measure/sink.js';
import { median } from '../measure/statistics.js';
import { startStepwell } from '../measure/stepwell-server.js';

const mebibyte = 1024 ** 2;

/** Long enough for it to be stored, for the server to be ended, and to fall due afterwards. */
const shortSeconds = 2;

export interface Waiting {
  readonly directory: string;
  /** The server's; 0 = a free one each time. */
  readonly port: number;
  /** How often it is restarted. */
  readonly rounds: number;
  readonly count: number;
  /** What one of them is: `message`. */
  readonly noun: string;
  /** Who is called when one of them is due. */
  readonly sink: Sink;
  /** Makes so many of them wait for so long; settles once they do. */
  fill(server: MeasuredProcess, count: number, delay: string): Promise<void>;
  readonly goals: {
    /** MiB of resident memory beyond the idle process, for all of them. */
    readonly resident: Goal | null;
    /** Milliseconds from the start of the process to the call that was due meanwhile. */
    readonly firstCall: Goal | null;
  };
}

/** How long one restart took, milliseconds from the start of its process. */
interface Restart {
  readonly ready: number;
  readonly firstCall: number;
}

export async function measureWaiting(waiting: Waiting): Promise<readonly Figure[]> {
  const { directory, port, rounds, count, fill } = waiting;
  const data = join(directory, 'stepwell');
  const start = machineTime();
  let stepwell = await startStepwell(data, port);
  const emptyMs = machineTime() - start;
  const restarts: Restart[] = [];
  try {
    const idle = await stepwell.memory();
    await fill(stepwell, count, '1h');
    const full = await stepwell.memory();
    for (let round = 0; round < rounds; round += 1) {
      // One that falls due while no server runs: its call is the first that the next process makes.
      await fill(stepwell, 1, `${shortSeconds}s`);
      await stepwell.stop();
      await new Promise((resolve) => setTimeout(resolve, shortSeconds * 1000));
      const start = machineTime();
      stepwell = await startStepwell(data, port);
      const ready = machineTime() - start;
      const { lastAt } = await waiting.sink.arrivals(1);
      if (lastAt < start) throw new Error('what was to fall due later was called before');
      restarts.push({ ready, firstCall: lastAt - start });
    }
    return [
      ...memoryFigures(waiting, 'filled', idle, full),
      ...memoryFigures(waiting, 'restarted', idle, await stepwell.memory()),
      { name: 'started on an empty folder: ready after, ms', value: emptyMs, goal: null },
      ...restartFigures(waiting, restarts),
    ];
  } finally {
    await stepwell.stop();
  }
}

function memoryFigures(
  { count, noun, goals }: Waiting,
  when: string,
  idle: Memory,
  full: Memory,
): readonly Figure[] {
  const grown = full.residentBytes - idle.residentBytes;
  return [
    {
      name: `${when}: heap of one ${noun}, B`,
      value: (full.heapBytes - idle.heapBytes) / count,
      goal: null,
    },
    {
      name: `${when}: buffers of all, MiB`,
      value: (full.externalBytes - idle.externalBytes) / mebibyte,
      goal: null,
    },
    { name: `${when}: RSS of one ${noun}, B`, value: grown / count, goal: null },
    {
      name: `${when}: RSS, beyond ${(idle.residentBytes / mebibyte).toFixed(0)} when idle, MiB`,
      value: grown / mebibyte,
      goal: goals.resident,
    },
  ];
}

function restartFigures({ goals }: Waiting, restarts: readonly Restart[]): readonly Figure[] {
  return [
    {
      name: 'killed and restarted: ready after, ms',
      value: median(restarts.map(({ ready }) => ready)),
      goal: null,
    },
    {
      name: 'killed and restarted: first call after, ms',
      value: median(restarts.map(({ firstCall }) => firstCall)),
      goal: goals.firstCall,
    },
  ];
}
