/** `npm run bench -- --peers`: Stepwell beside everything that does the same work, in one run. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { logCases } from '../cases/logs.bench.js';
import { type Case, type Result, race } from '../measure/contest.js';
import { describeDisk, describeMachine } from '../measure/machine.js';
import { summary } from '../measure/table.js';
import { type PeersArguments, peersUsage, readPeersArguments } from './arguments.js';
import type { WorkKind } from './peer.js';
import { peers } from './peers.js';
import { type Heading, overviewText, rawDocument, writeDocuments } from './report/documents.js';
import { short } from './report/figures.js';
import type { Entry, PeersFound } from './report/found.js';
import { messageWorks } from './works/messages.js';
import { raceAll, type WorkResult } from './works/race-all.js';
import { runWorks, topicWorks } from './works/runs-and-topics.js';
import { measureWaiting, type Waiting, type WaitingResult } from './works/waiting.js';

const works = [...messageWorks, ...runWorks, ...topicWorks];
const kinds = [...new Set<WorkKind>([...works.map(({ kind }) => kind), 'wait', 'sleep'])];

/** Stepwell's own contests that have a goal. */
const contest = 'contest';
const logPagesOfBare = 0.2;

/** Ends with 64 where the arguments are wrong. */
export async function runPeers(args: string[]): Promise<void> {
  const given = argumentsOrUsage(args);
  if (given === null) process.exitCode = 64;
  else await run(given);
}

function argumentsOrUsage(args: string[]): PeersArguments | null {
  const names = peers.map(({ name }) => name);
  const known = [...kinds, contest];
  try {
    return readPeersArguments(args, names, known);
  } catch (error) {
    tell(`${error instanceof Error ? error.message : error}\n${peersUsage(names, known)}`);
    return null;
  }
}

async function run(given: PeersArguments): Promise<void> {
  const began = performance.now();
  const folder = await mkdtemp(join(given.directory, 'stepwell-peers-'));
  try {
    // A server that refuses to run as root must reach its own folder below.
    await chmod(folder, 0o711);
    const machine = `${describeMachine()}\n${describeDisk(folder)}`;
    tell(machine);
    const entries = lookAtAll(given);
    const found: PeersFound = {
      entries,
      works: await raceEach(given, entries, folder),
      waiting: await measureEach(given, entries, folder),
      contests: await contestEach(given, folder),
    };
    const minutes = ((performance.now() - began) / 60_000).toFixed(0);
    const how = `medians of ${given.rounds} rounds of ${given.seconds} s in turns, ${minutes} min`;
    const heading: Heading = { machine, how };
    process.stdout.write(`\n${rawDocument(heading, found)}\n${overviewText(heading, found)}\n`);
    if (given.write) await writeDocuments(heading, found);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stepwell always; the others if they are asked for and there. */
function lookAtAll({ peers: asked }: PeersArguments): Entry[] {
  const chosen = peers.filter(
    ({ name }) => asked.length === 0 || name === 'stepwell' || asked.includes(name),
  );
  return chosen.map((peer) => {
    const found = peer.look();
    const exists = 'versions' in found;
    tell(`${peer.title}: ${exists ? found.versions : `absent; to install it: ${found.install}`}`);
    return exists
      ? { peer, versions: found.versions, install: null }
      : { peer, versions: '', install: found.install };
  });
}

function able(entries: readonly Entry[], kind: WorkKind) {
  const present = entries.filter(({ install }) => install === null).map(({ peer }) => peer);
  return present.filter((peer) => peer.kinds.includes(kind));
}

async function raceEach(
  given: PeersArguments,
  entries: readonly Entry[],
  folder: string,
): Promise<WorkResult[]> {
  const results: WorkResult[] = [];
  for (const work of works) {
    if (!isAsked(given, work.kind)) continue;
    const directory = join(folder, 'work');
    await mkdir(directory);
    const result = await raceAll(work, able(entries, work.kind), directory, given);
    await rm(directory, { recursive: true });
    results.push(result);
    tell(summaryOf(result));
  }
  return results;
}

function summaryOf({ work, outcomes, tookSeconds }: WorkResult): string {
  const seen = outcomes.map((outcome) => {
    if ('failure' in outcome) return `${outcome.peer.name} FAILED: ${outcome.failure}`;
    const { rate, latency } = outcome.performance;
    const value = work.compares === 'rate' ? rate.median : (latency?.p50 ?? Number.NaN);
    return `${outcome.peer.name} ${short(value)}`;
  });
  return `${work.name}: ${seen.join(', ')} (${tookSeconds.toFixed(0)} s)`;
}

async function measureEach(
  given: PeersArguments,
  entries: readonly Entry[],
  folder: string,
): Promise<WaitingResult[]> {
  const all: readonly Waiting[] = [
    { kind: 'wait', noun: 'message', count: given.waiting },
    { kind: 'sleep', noun: 'run', count: given.sleeping },
  ];
  const results: WaitingResult[] = [];
  for (const waiting of all) {
    const { kind, noun, count } = waiting;
    if (!isAsked(given, kind)) continue;
    const directory = join(folder, 'waiting');
    await mkdir(directory);
    const present = able(entries, kind);
    const result = await measureWaiting(waiting, present, directory, given.rounds);
    await rm(directory, { recursive: true });
    results.push(result);
    const seen = result.outcomes.map((outcome) => {
      if ('failure' in outcome) return `${outcome.peer.name} FAILED: ${outcome.failure}`;
      return `${outcome.peer.name} ${short(outcome.held.restartedBytes)} B`;
    });
    tell(`${count} ${noun}s: ${seen.join(', ')} (${result.tookSeconds.toFixed(0)} s)`);
  }
  return results;
}

async function contestEach(given: PeersArguments, folder: string): Promise<Result[]> {
  if (given.events === 0 || !isAsked(given, contest)) return [];
  const cases: Case[] = logCases(given.events)
    .slice(0, 1)
    .map((each) => ({ ...each, goal: logPagesOfBare }));
  const results: Result[] = [];
  for (const subject of cases) {
    const directory = join(folder, 'contest');
    await mkdir(directory);
    const result = await race(subject, directory, given);
    await rm(directory, { recursive: true });
    results.push(result);
    tell(summary(result));
  }
  return results;
}

function isAsked({ kinds: asked }: PeersArguments, kind: string): boolean {
  return asked.length === 0 || asked.includes(kind);
}

/** Progress goes beside the tables, so that they can be piped into a file. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
