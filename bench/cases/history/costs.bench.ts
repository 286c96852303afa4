/** What a publish pays for scrubs, backups and for events that name who has caused them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { callLog } from '../../load/api-call.js';
import { delayedPublishes, underLoad } from '../../load/load.js';
import { writeMessages } from '../../load/written-messages.js';
import type { Case, Contest, Contestant } from '../../measure/contest.js';
import { MeasuredProcess } from '../../measure/measured-process.js';
import { startStepwell } from '../../measure/stepwell-server.js';
import type { PrincipalSettings } from '../../programs/principal.program.js';

/** 250 MiB or so of sealed journal: a scrub at its shipped rate reads it for a minute. */
const storedMessages = 150_000;

const load = delayedPublishes(64);

const publishes = (name: string, beside: string, contest: Case['contest']): Case => ({
  scenario: 'costs',
  name,
  beside,
  unit: 'messages',
  goal: null,
  compares: 'rate',
  share: 1,
  contest,
});

export const costCases: readonly Case[] = [
  publishes('publish: while a scrub reads', 'no scrub', (directory) =>
    besideIdle(directory, {}, async (server) => {
      await scrubBegun(server);
      return underLoad(server, load);
    }),
  ),
  publishes('publish: while a backup is made', 'no backup', (directory) => {
    const backups = join(directory, 'backups');
    return besideIdle(directory, { STEPWELL_BACKUP_DIR: backups }, async (server) => {
      await mkdir(backups);
      return underBackups(server);
    });
  }),
  publishes('turn: events that name their caller', 'events of the server itself', principals),
];

/** The same server twice, with as much stored, of which one does something beside. */
async function besideIdle(
  directory: string,
  environment: Readonly<Record<string, string>>,
  begin: (server: MeasuredProcess) => Promise<Contestant>,
): Promise<Contest> {
  const [busy, idle] = [join(directory, 'busy'), join(directory, 'idle')];
  for (const data of [busy, idle]) {
    await writeMessages(data, { first: 0, count: storedMessages, areDelivered: false });
  }
  const server = await startStepwell(busy, 0, process.execPath, environment);
  const other = await startStepwell(idle, 0, process.execPath, { STEPWELL_SCRUB_RATE: 'off' });
  const stop = async () => {
    await server.stop();
    await other.stop();
  };
  return { stepwell: await begin(server), beside: underLoad(other, load), stop };
}

/** It begins a minute after the start. */
async function scrubBegun({ address }: MeasuredProcess): Promise<void> {
  for (;;) {
    const { body } = await request(`${address}/metrics`);
    const read = /^stepwell_scrub_bytes_total (\S+)$/m.exec(await body.text())?.[1];
    if (Number(read) > 0) return;
    await pause(500);
  }
}

/** A backup begins with each round, unless the one before is still being made. */
function underBackups(server: MeasuredProcess): Contestant {
  const under = underLoad(server, load);
  let number = 0;
  const run = async (seconds: number) => {
    const { state } = (await callLog(server, 'GET', '/admin/backup')) as { readonly state: string };
    if (state === 'failed') throw new Error('a backup has failed');
    if (state !== 'running') {
      number += 1;
      await callLog(server, 'POST', '/admin/backup', { path: `backup-${number}` });
    }
    return under.run(seconds);
  };
  return { process: server, run };
}

/** Turns of the engine over a journal of its own, with a caller and without. */
async function principals(directory: string): Promise<Contest> {
  const side = async (name: string, isNamed: boolean): Promise<Contestant> => {
    const settings: PrincipalSettings = { directory: join(directory, name), isNamed };
    const program = 'bench/programs/principal.program.js';
    const process = await MeasuredProcess.start(program, [JSON.stringify(settings)]);
    return { process, run: (seconds) => process.ask({ seconds }) };
  };
  const [stepwell, beside] = [await side('named', true), await side('own', false)];
  const stop = async () => {
    await stepwell.process.stop();
    await beside.process.stop();
  };
  return { stepwell, beside, stop };
}
