/**
 * `npm run mutants [-- name ...]`: puts every historic storage bug into the sources, one after the
 * other, as they are loaded, and says which test notices it. Exit code 1 where one survives.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Mutant, mutatedFiles, root } from './mutant.js';
import { mutants } from './mutants.js';

const runner = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const loaders = ['./test/mutants/plant.mjs', '@swc-node/register/esm-register'];

/** Tests are to find a mutant by all that they can try, and not by the samples of `npm test`. */
const allOfIt = { STEPWELL_TEST_ROUNDS: '1', DECIDER_RUNS: '15' };

/** A mutant may make a test wait for ever: it is noticed by that, too. */
const limitMs = 600_000;

interface Outcome {
  /** Tests that failed, by their full names; what could not even be loaded is none of them. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly hasEnded: boolean;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs tests with the files changed. Rejects where they say nothing. */
async function outcomeOf(
  folder: string,
  files: ReadonlyMap<string, string>,
  args: readonly string[],
): Promise<Outcome> {
  const [planted, report] = [join(folder, 'mutated.json'), join(folder, 'report.json')];
  const urls = [...files].map(([path, text]) => [pathToFileURL(join(root, path)).href, text]);
  await writeFile(planted, JSON.stringify(Object.fromEntries(urls)));
  await rm(report, { force: true });
  const imports = loaders.map((loader) => `--import ${loader}`).join(' ');
  const child = spawn(
    process.execPath,
    [runner, '--silent', '--maxWorkers=1', '--json', `--outputFile=${report}`, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...allOfIt, ...process.env, NODE_OPTIONS: imports, MUTATED: planted },
    },
  );
  const said: Buffer[] = [];
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const text = await readFile(report, 'utf8').catch(() => null);
  if (text === null && child.signalCode === 'SIGKILL') {
    return { failed: [], passed: 0, hasEnded: false };
  }
  if (text === null) throw new Error(Buffer.concat(said).toString());
  const { numPassedTests: passed, testResults }: Report = JSON.parse(text);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed');
  return { failed: failed.map(({ fullName }) => fullName), passed, hasEnded: true };
}

const argumentsOf = ({ tests, named }: Mutant) => [
  ...tests,
  ...(named === undefined ? [] : ['-t', named]),
];

/** The same tests pass where nothing is changed; they are run once for all who name them. */
const sound = new Map<string, Promise<Outcome>>();

async function requireSound(folder: string, mutant: Mutant): Promise<void> {
  const args = argumentsOf(mutant);
  const key = args.join(' ');
  const run = sound.get(key) ?? outcomeOf(folder, new Map(), args);
  sound.set(key, run);
  const { failed, passed } = await run;
  if (failed.length > 0 || passed === 0) {
    throw new Error(`without a mutant ${key}: ${passed} passed, failed: ${failed.join('; ')}`);
  }
}

/** Whether it was killed. */
async function judge(folder: string, mutant: Mutant): Promise<boolean> {
  await requireSound(folder, mutant);
  const { failed, hasEnded } = await outcomeOf(folder, mutatedFiles(mutant), argumentsOf(mutant));
  const isKilled = failed.length > 0 || !hasEnded;
  console.log(`${isKilled ? 'killed  ' : 'SURVIVED'} ${mutant.name}: ${mutant.story}`);
  for (const name of failed.slice(0, 3)) console.log(`           by "${name}"`);
  if (failed.length > 3) console.log(`           and ${failed.length - 3} other tests`);
  if (!hasEnded) console.log('           by a test that did not end');
  return isKilled;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
if (unknown.length > 0) throw new Error(`no such mutant: ${unknown.join(', ')}`);
const chosen = mutants.filter(({ name }) => names.length === 0 || names.includes(name));
const folder = await mkdtemp(join(tmpdir(), 'stepwell-mutants-'));
try {
  const survivors: string[] = [];
  for (const mutant of chosen) if (!(await judge(folder, mutant))) survivors.push(mutant.name);
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants killed`);
  if (survivors.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
