/** Fetch over HTTP from the page cache: as many records as one answer holds, again and again. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BareFileSettings } from './bare-file.program.js';
import type { Case, Contest } from './contest.js';
import { underLoad } from './load.js';
import { MeasuredProcess } from './measured-process.js';
import { basic, startStepwell } from './stepwell-server.js';

const connections = 16;
const recordsEach = 500;
const headers = { authorization: basic, 'content-type': 'application/json' };

interface Fetch {
  readonly name: string;
  readonly value: string;
}

const fetches: readonly Fetch[] = [
  { name: 'records of 100 B', value: 'x'.repeat(100) },
  { name: 'records of 100 B of JSON', value: '{"id":12345,"n":"ab"}'.repeat(5) },
  { name: 'records of 1 KiB', value: 'x'.repeat(1024) },
];

export const fetchCases: readonly Case[] = fetches.map(
  (fetch): Case => ({
    scenario: 'fetch',
    name: `${fetch.name}, ${recordsEach} an answer, ${connections} in flight`,
    beside: 'bare loop',
    unit: 'records',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => fetchContest(directory, fetch),
  }),
);

async function fetchContest(directory: string, { value }: Fetch): Promise<Contest> {
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const body = Buffer.from(
    JSON.stringify({ topic: 'bench', partition: 0, offset: 0, maxRecords: recordsEach }),
  );
  const answerBytes = await fill(stepwell.address, value, body);
  const settings: BareFileSettings = { directory: join(directory, 'bare'), answerBytes };
  await mkdir(settings.directory);
  const bare = await MeasuredProcess.start('bench/bare-file.program.js', [
    JSON.stringify(settings),
  ]);
  const stop = async () => {
    await stepwell.stop();
    await bare.stop();
  };
  const load = { path: '/fetch', connections, headers, body, operationsEach: recordsEach };
  return { stepwell: underLoad(stepwell, load), beside: underLoad(bare, load), stop };
}

/** Produces what is fetched, as small producers do; the length of one answer. */
async function fill(url: string, value: string, fetched: Buffer): Promise<number> {
  const records = JSON.stringify(Array(10).fill({ value, key: 'k', partition: 0 }));
  for (let count = 0; count < recordsEach * 4; count += 10) {
    const produced = await fetch(`${url}/produce/bench`, {
      method: 'POST',
      headers,
      body: records,
    });
    if (produced.status !== 200) throw new Error(`a produce was answered ${produced.status}`);
    await produced.arrayBuffer();
  }
  const answer = await fetch(`${url}/fetch`, { method: 'POST', headers, body: fetched });
  return (await answer.arrayBuffer()).byteLength;
}
