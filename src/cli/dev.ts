/** What `stepwell dev` does: a server with published credentials and a clock that can be moved. */
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { systemClock } from '../engine/clock.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import { ConfigurationError, listensOnLoopback } from '../server/configuration/config.js';
import { type Credentials, developmentCredentials } from '../server/credentials/credentials.js';
import { DisturbedEndpoints, type FaultPlan } from '../server/development/delivery-faults.js';
import { readAhead } from '../server/development/kept-clock.js';
import { MovableClock } from '../server/development/movable-clock.js';
import { descriptorLimit, shareDescriptors } from '../server/lifecycle/descriptors.js';
import type { DataDirOption } from './folder/folder-option.js';
import { configurationOf, prepareDataFolder } from './folder/owned-folder.js';
import { durationWords } from './output/time-words.js';

/** Where SDKs in development mode look for a server. */
const developmentPort = '8080';

/** The options of `stepwell dev`; without `fault`, deliveries are not disturbed. */
export interface DevOptions extends DataDirOption {
  readonly fault?: FaultPlan;
}

/**
 * Runs until the process is asked to stop. Throws `ConfigurationError` if the server would listen
 * on an address other than loopback, as its credentials are public.
 */
export async function dev(options: DevOptions): Promise<void> {
  const configuration = configurationOf(options, 'dev');
  const { config } = configuration;
  if (!listensOnLoopback(config.host)) {
    throw new ConfigurationError([
      'STEPWELL_HOST must be a loopback address for dev: its credentials are published',
    ]);
  }
  // Before the server is loaded, as loading its modules opens many files at once.
  shareDescriptors(descriptorLimit(), config);
  await prepareDataFolder(config.dataDirectory, nodeDisk);
  const opened = developmentCredentials(config);
  const clock = new MovableClock(systemClock, await readAhead(nodeDisk, config.dataDirectory));
  const { fault } = options;
  const { serve } = await import('./serve.js');
  await serve(configuration, opened, {
    clock,
    networkClock: clock.outside,
    ...(fault !== undefined && {
      disturbs: (usual) => new DisturbedEndpoints(usual, fault, clock.outside, systemIdentifiers),
    }),
    introduction: (url) => [
      ...environmentLines(opened.credentials, url),
      ...developmentLines(clock.aheadMs, fault),
    ],
  });
}

/** What differs from a server that runs elsewhere. */
function developmentLines(aheadMs: number, fault: FaultPlan | undefined): string[] {
  const lines: string[] = [];
  if (aheadMs > 0) lines.push(`The time is ${durationWords(aheadMs)} ahead (stepwell clock).`);
  if (fault !== undefined) {
    const { drop, lose, delayMs } = fault;
    // 0.07 * 100 is 7.000000000000001.
    const [dropped, lost] = [drop, lose].map((share) => Number((share * 100).toPrecision(12)));
    const shares = `${dropped} % dropped, ${lost} % of the answers lost`;
    lines.push(`Deliveries are disturbed: ${shares}, each ${delayMs} ms later (--fault).`);
  }
  return lines;
}

/** What a client needs, as lines for an `.env` file or a shell. */
function environmentLines(credentials: Credentials, url: string): string[] {
  const { port } = new URL(url);
  return [
    'For development. These credentials are public:',
    'QSTASH_DEV=true',
    ...(port === developmentPort ? [] : [`QSTASH_DEV_PORT=${port}`]),
    `QSTASH_URL=${url}`,
    `QSTASH_TOKEN=${credentials.tokens.join(',')}`,
    `QSTASH_CURRENT_SIGNING_KEY=${credentials.currentSigningKey}`,
    `QSTASH_NEXT_SIGNING_KEY=${credentials.nextSigningKey}`,
    `STEPWELL_REST_USERNAME=${credentials.restUsername}`,
    `STEPWELL_REST_PASSWORD=${credentials.restPassword}`,
  ];
}
