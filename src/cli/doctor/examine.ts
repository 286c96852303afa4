/** What `stepwell doctor` does: runs the checks and prints their findings. */
import { systemClock } from '../../engine/clock.js';
import {
  type Config,
  ConfigurationError,
  readConfiguration,
} from '../../server/configuration/config.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ClientOptions, connect } from '../client/client-command.js';
import type { ApiClient } from '../connect/api-client.js';
import { Output } from '../output/output.js';
import type { Colour } from '../output/style.js';
import type { TableColumn } from '../output/table.js';
import { checkArchive, checkDisk, checkSpace } from './disk-checks.js';
import { type Finding, type FindingLevel, fine, wrong } from './finding.js';
import { checkFiles, checkNode, checkThreads } from './machine-checks.js';
import { checkClients, checkPort, checkServer } from './server-checks.js';
import { checkUrl } from './url-check.js';

/** Shows each finding as it comes; the exit code is 1 if one is `bad`. */
export async function examine(
  destination: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const output = new Output(options);
  const findings: Finding[] = [];
  const rows = noted(checks(destination, options), findings);
  await output.rows(rows, columns, '');
  if (findings.some(({ verdict }) => verdict === 'bad')) process.exitCode = exitCodes.failure;
}

async function* noted(found: AsyncIterable<Finding>, findings: Finding[]): AsyncGenerator<Finding> {
  for await (const finding of found) {
    findings.push(finding);
    yield finding;
  }
}

/** Every check reports a finding, whatever the others found. */
async function* checks(
  destination: string | undefined,
  options: ClientOptions,
): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  yield checkThreads();
  const config = read(options);
  if (config instanceof ConfigurationError) {
    for (const problem of config.problems) yield wrong('settings', problem);
    return;
  }
  yield fine('settings', 'all settings are valid; stepwell config prints them');
  yield checkFiles(config);
  yield* checkSpace(config.dataDirectory);
  yield await checkDisk(config.dataDirectory, systemClock);
  yield* checkArchive(config);
  const api = await clientOf(options);
  const answers = await checkServer(api, systemClock);
  yield* answers;
  // A server that does not report its state would answer the other checks late or not at all.
  const isServed = answers.length > 0 && answers.every(({ verdict }) => verdict !== 'bad');
  if (answers.length === 0) yield await checkPort(config, api.address.url);
  else if (isServed) yield* await checkClients(api);
  if (destination !== undefined) yield await checkUrl(destination, config, api, isServed);
}

function read({ dataDir }: ClientOptions): Config | ConfigurationError {
  const given = dataDir === undefined ? {} : { dataDirectory: dataDir };
  try {
    return readConfiguration(undefined, 'start', given).config;
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

async function clientOf(options: ClientOptions): Promise<ApiClient> {
  const { api } = await connect(options);
  return api;
}

const looks: Readonly<Record<FindingLevel, readonly [sign: string, colour: Colour]>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  bad: ['✗', 'red'],
};

const columns: readonly TableColumn<Finding>[] = [
  {
    title: '',
    text: ({ verdict }, paint) => {
      const [sign, colour] = looks[verdict];
      return paint(colour, sign);
    },
  },
  { title: 'check', text: ({ check }) => check },
  { title: 'found', text: ({ said }) => said, wraps: true },
];
