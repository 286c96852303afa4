/** Runs of five steps, from the question for their start to their end, and how long one takes. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case, Contest, Contestant, Round } from '../measure/contest.js';
import { journalWeight } from '../measure/journal-weight.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import { startStepwell } from '../measure/stepwell-server.js';
import type { ApplicationQuestion, ApplicationSettings } from '../programs/application.program.js';
import type { BareRunsSettings } from '../programs/bare-runs.program.js';
import { deliveriesEach, requestsEach, steps } from '../programs/workflow-application.js';

/** Commits of a run: one for each request, and one for each delivery but the last one. */
const turnsEach = requestsEach + deliveriesEach - 1;

/** Runs before anything is measured, to see what one of them weighs. */
const weighing = { runs: 1, seconds: 0.3 };

const kinds = [
  { kind: 'minimal', name: 'minimal endpoint' },
  { kind: 'published', name: 'published client' },
] as const;

export const workflowCases: readonly Case[] = kinds.flatMap(({ kind, name }) =>
  [1, 16, 64].map(
    (runs): Case => ({
      scenario: 'workflows',
      name: `${steps} steps, ${name}, ${runs} in flight`,
      beside: 'bare loop',
      unit: 'runs',
      goal: null,
      compares: 'rate',
      // Where so many share the machine, a run takes about half a second.
      share: runs === 64 ? 1 : 0.5,
      contest: (directory) => runsContest(directory, kind, runs),
    }),
  ),
);

async function runsContest(
  directory: string,
  kind: ApplicationSettings['kind'],
  runs: number,
): Promise<Contest> {
  const data = join(directory, 'stepwell');
  const stepwell = await startStepwell(data);
  const application = await startApplication({ server: stepwell.address, kind });
  const { operations } = await ask(application, weighing);
  const turnBytes = Math.round((await journalWeight(data)) / operations / turnsEach);
  const bare = await startBareRuns({ directory: join(directory, 'bare'), turnBytes });
  const bareApplication = await startApplication({ server: bare.address, kind });
  const stop = async () => {
    for (const process of [application, bareApplication, stepwell, bare]) await process.stop();
  };
  return {
    stepwell: contestant(stepwell, application, runs),
    beside: contestant(bare, bareApplication, runs),
    stop,
  };
}

function contestant(
  process: MeasuredProcess,
  application: MeasuredProcess,
  runs: number,
): Contestant {
  return { process, run: (seconds) => ask(application, { runs, seconds }) };
}

function startApplication(settings: ApplicationSettings): Promise<MeasuredProcess> {
  return MeasuredProcess.start('bench/programs/application.program.js', [JSON.stringify(settings)]);
}

async function startBareRuns(settings: BareRunsSettings): Promise<MeasuredProcess> {
  await mkdir(settings.directory);
  return MeasuredProcess.start('bench/programs/bare-runs.program.js', [JSON.stringify(settings)]);
}

function ask(application: MeasuredProcess, question: ApplicationQuestion): Promise<Round> {
  return application.ask<Round>(question);
}
