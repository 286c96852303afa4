/** Publish over HTTP: accepted, on disk, answered. Messages are due in an hour: none is sent. */
import { join } from 'node:path';
import { delayed, delayedPublishes, underLoad } from '../load/load.js';
import { journalBytes } from '../load/message-events.js';
import { startBareServer } from '../measure/bare-server.js';
import type { Case, Contest } from '../measure/contest.js';
import { startStepwell } from '../measure/stepwell-server.js';

export const publishCases: readonly Case[] = [1, 16, 64, 256].map(
  (connections): Case => ({
    scenario: 'publish',
    name: `1 KiB, ${connections} in flight`,
    beside: 'bare loop',
    unit: 'messages',
    goal: 0.7,
    compares: 'rate',
    share: 1,
    contest: (directory) => publishContest(directory, connections),
  }),
);

async function publishContest(directory: string, connections: number): Promise<Contest> {
  const at = Date.now();
  const { body, destination } = delayed;
  const message = { number: 0, url: destination, body, at, notBefore: at };
  const besideBytes = journalBytes(message).published - body.length;
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes,
    prepares: true,
    delivery: null,
  });
  const load = delayedPublishes(connections);
  const stop = async () => {
    await stepwell.stop();
    await bare.stop();
  };
  return { stepwell: underLoad(stepwell, load), beside: underLoad(bare, load), stop };
}
