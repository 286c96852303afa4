/** Publishes while many clients watch them, beside a server that has no client of the kind. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { underLoad } from '../load/load.js';
import type { Case, Contest } from '../measure/contest.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';
import type { ViewersSettings } from '../programs/viewers.program.js';

const body = randomBytes(1024);
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
  const load = {
    path: '/v2/publish/http://127.0.0.1:8080/orders',
    connections: 64,
    headers: {
      authorization: bearer,
      'content-type': 'application/octet-stream',
      'svc-delay': '1h',
    },
    body,
    operationsEach: 1,
  };
  const stop = async () => {
    for (const process of [clients, watched, alone]) await process.stop();
  };
  return { stepwell: underLoad(watched, load), beside: underLoad(alone, load), stop };
}
