/** Durable append by record size and waiting appenders, over `storage/` alone. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppendSettings } from './append.program.js';
import type { Case, Contestant, Round } from './contest.js';
import { MeasuredProcess } from './measured-process.js';

const sizes = [
  { name: '100 B', recordBytes: 100 },
  { name: '1 KiB', recordBytes: 1024 },
  { name: '16 KiB', recordBytes: 16 * 1024 },
];

/** The goal was set for 1 KiB and 256 appenders; it is shown beside every size and number. */
const goal = 0.7;

export const appendCases: readonly Case[] = sizes.flatMap(({ name, recordBytes }) =>
  [1, 64, 256, 1024].map((appenders): Case => {
    const contestant = (side: AppendSettings['side'], directory: string) =>
      start({ side, directory: join(directory, side), recordBytes, appenders });
    return {
      scenario: 'append',
      name: `${name}, ${appenders} waiting`,
      unit: 'records',
      goal,
      compares: 'rate',
      share: 0.25,
      async contest(directory) {
        const stepwell = await contestant('stepwell', directory);
        const bare = await contestant('bare', directory);
        const stop = async () => {
          await stepwell.process.stop();
          await bare.process.stop();
        };
        return { stepwell, bare, stop };
      },
    };
  }),
);

async function start(settings: AppendSettings): Promise<Contestant> {
  await mkdir(settings.directory);
  const process = await MeasuredProcess.start('bench/append.program.js', [
    JSON.stringify(settings),
  ]);
  return { process, run: (seconds) => process.ask<Round>({ seconds }) };
}
