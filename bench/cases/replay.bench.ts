/** Replay: what a start costs, from the log's bytes to every message in memory. */
import type { Case, Contestant, Round } from '../measure/contest.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import { buildJournal } from '../measure/replay-journal.js';
import type { ReplaySettings } from '../programs/replay.program.js';

const events = 300_000;

export const replayCases: readonly Case[] = [
  {
    scenario: 'replay',
    name: `about ${events.toLocaleString('en')} message events`,
    beside: 'bare loop',
    unit: 'events',
    goal: 0.6,
    compares: 'rate',
    share: 1,
    async contest(directory) {
      await buildJournal(directory, events);
      const stepwell = await start({ side: 'stepwell', directory });
      const bare = await start({ side: 'bare', directory });
      const stop = async () => {
        await stepwell.process.stop();
        await bare.process.stop();
      };
      return { stepwell, beside: bare, stop };
    },
  },
];

/** A round is one whole pass, however long it takes. */
async function start(settings: ReplaySettings): Promise<Contestant> {
  const process = await MeasuredProcess.start('bench/programs/replay.program.js', [
    JSON.stringify(settings),
  ]);
  return { process, run: () => process.ask<Round>({}) };
}
