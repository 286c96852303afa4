/** Publishes while many clients watch them, beside a server that has no client of the kind. */
import { join } from 'node:path';
import { delayedPublishes, underLoad } from '../load/load.js';
import type { Case, Contest } from '../measure/contest.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';
import type { ViewersSettings } from '../programs/viewers.program.js';

const viewers = 1000;

export const liveCases: readonly Case[] = [
  {
    scenario: 'live',
    name: `1 KiB, 64 in flight, ${viewers.toLocaleString('en')} clients of /v2/live`,
    beside: 'no such clients',
    unit: 'messages',
    goal: 0.9,
    compares: 'rate',
    share: 1,
    contest: watchedContest,
  },
];

async function watchedContest(directory: string): Promise<Contest> {
  const watched = await startStepwell(join(directory, 'watched'));
  const alone = await startStepwell(join(directory, 'alone'));
  const settings: ViewersSettings = {
    server: watched.address,
    authorization: bearer,
    count: viewers,
  };
  const clients = await MeasuredProcess.start('bench/programs/viewers.program.js', [
    JSON.stringify(settings),
  ]);
  const load = delayedPublishes(64);
  const stop = async () => {
    for (const process of [clients, watched, alone]) await process.stop();
  };
  return { stepwell: underLoad(watched, load), beside: underLoad(alone, load), stop };
}
