/** Durable append by record size and waiting appenders, over `storage/` alone. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case, Contestant, Round } from '../measure/contest.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import type { AppendSettings } from '../programs/append.program.js';

const sizes = [
  { name: '100 B', recordBytes: 100 },
  { name: '1 KiB', recordBytes: 1024 },
  { name: '16 KiB', recordBytes: 16 * 1024 },
];

type Appending = Pick<AppendSettings, 'recordBytes' | 'appenders' | 'logs'>;

/** The goal was set for 1 KiB and 256 appenders of one log; it is shown beside every number. */
const goal = 0.7;

function appendCase(name: string, appending: Appending): Case {
  const contestant = (side: AppendSettings['side'], directory: string) =>
    start({ side, directory: join(directory, side), ...appending });
  return {
    scenario: 'append',
    name,
    beside: 'bare loop',
    unit: 'records',
    goal: appending.logs === 1 ? goal : null,
    compares: 'rate',
    share: 0.5,
    async contest(directory) {
      const stepwell = await contestant('stepwell', directory);
      const bare = await contestant('bare', directory);
      const stop = async () => {
        await stepwell.process.stop();
        await bare.process.stop();
      };
      return { stepwell, beside: bare, stop };
    },
  };
}

export const appendCases: readonly Case[] = [
  ...sizes.flatMap(({ name, recordBytes }) =>
    [1, 64, 256, 1024].map((appenders) =>
      appendCase(`${name}, ${appenders} waiting`, { recordBytes, appenders, logs: 1 }),
    ),
  ),
  // Every log has a file and an fdatasync of its own; the bare loop shows what one file would do.
  appendCase('1 KiB, 256 waiting, 64 logs', { recordBytes: 1024, appenders: 256, logs: 64 }),
];

async function start(settings: AppendSettings): Promise<Contestant> {
  await mkdir(settings.directory);
  const process = await MeasuredProcess.start('bench/programs/append.program.js', [
    JSON.stringify(settings),
  ]);
  return { process, run: (seconds) => process.ask<Round>({ seconds }) };
}
