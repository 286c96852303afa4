/** Log queries: what a page costs, whatever else there is. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuestionName } from '../load/log-questions.js';
import type { Case, Contestant, Round } from '../measure/contest.js';
import { buildLogJournal } from '../measure/log-journal.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import type { LogSettings } from '../programs/logs.program.js';

const questions: readonly QuestionName[] = [
  'newest first',
  'one message',
  'a label',
  'a schedule',
  'a destination',
  'a label, delivered only',
  'oldest first, behind a date',
];

/** One journal for all of them, which stands beside the folders of the cases. */
export function logCases(events: number): readonly Case[] {
  let built: Promise<string> | null = null;
  const build = async (beside: string) => {
    const directory = join(beside, '..', 'log-journal');
    await mkdir(directory);
    await buildLogJournal(directory, events);
    return directory;
  };
  return questions.map((question) => ({
    scenario: 'logs',
    name: `${question}, of ${events.toLocaleString('en')} events`,
    beside: 'bare loop',
    unit: 'pages',
    goal: null,
    compares: 'latency',
    share: 1,
    async contest(own) {
      built ??= build(own);
      const directory = await built;
      const stepwell = await start({ side: 'stepwell', question, directory });
      const bare = await start({ side: 'bare', question, directory });
      const stop = async () => {
        await stepwell.process.stop();
        await bare.process.stop();
      };
      return { stepwell, beside: bare, stop };
    },
  }));
}

async function start(settings: LogSettings): Promise<Contestant> {
  const process = await MeasuredProcess.start('bench/programs/logs.program.js', [
    JSON.stringify(settings),
  ]);
  return { process, run: (seconds) => process.ask<Round>({ seconds }) };
}
