/**
 * How many files a reader passes who follows one request: `npm run bench:files [-- --list]`. V8
 * says which functions run during one warm publish with its delivery, one step of a run with the
 * next delivery, one produce and one fetch. What runs by a timer meanwhile counts as well, so the
 * least of several rounds is taken.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../../src/engine/clock.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { type Application, createApplication } from '../../src/server/application.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { openCredentials } from '../../src/server/credentials/credentials.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { type CoveredFile, coveredFiles } from './covered-files.js';

const rounds = 5;
/** What follows an answer, such as the record of an attempt, is on disk by then. Milliseconds. */
const settleMs = 60;

/** The destination of messages and the endpoint of runs: it answers, and says what has come. */
class Destination {
  private readonly waiting: ((answer: () => void) => void)[] = [];

  private constructor(readonly server: Server) {}

  static async start(): Promise<Destination> {
    const server = createServer();
    const destination = new Destination(server);
    server.on('request', (request, response) => {
      request.resume();
      const answer = () => {
        response.setHeader('Upstash-Workflow-Sdk-Version', '1').end('ok');
      };
      destination.waiting.shift()?.(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return destination;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Settles with what answers the next request, when it has come. */
  next(): Promise<() => void> {
    return new Promise((resolve) => void this.waiting.push(resolve));
  }
}

type Headers = Readonly<Record<string, string>>;

/** Sends what the four requests are made of. */
class Client {
  private runs = 0;
  /** The last delivery of the run before. */
  private answerLast: () => void = () => undefined;

  constructor(
    private readonly server: Application,
    private readonly destination: Destination,
    private readonly bearer: string,
    private readonly basic: string,
  ) {}

  async publish(): Promise<void> {
    const arrived = this.destination.next();
    await this.post(`/v2/publish/${this.destination.url}`, this.bearer, '{}');
    (await arrived)();
    await pause(settleMs);
  }

  /**
   * A run that waits for its first step: gives what submits it and waits for the next delivery.
   * That one is answered later: by an answer without another step its endpoint fails the run.
   */
  async run(): Promise<() => Promise<void>> {
    this.answerLast();
    await pause(settleMs);
    this.runs += 1;
    const id = `wfr_${this.runs}`;
    const begun = this.destination.next();
    await this.submit(id, '{}', { 'Upstash-Workflow-Init': 'true' });
    const answer = await begun;
    return async () => {
      const next = this.destination.next();
      const step = { stepId: 1, stepName: 'one', stepType: 'Run', out: '1', concurrent: 1 };
      await this.submit(id, JSON.stringify(step), { 'Upstash-Workflow-Init': 'false' });
      answer();
      this.answerLast = await next;
      await pause(settleMs);
    };
  }

  produce(): Promise<void> {
    return this.post('/produce/files', this.basic, '{"value":"x","partition":0}');
  }

  fetch(): Promise<void> {
    return this.post('/fetch', this.basic, '{"topic":"files","partition":0,"offset":0}');
  }

  private submit(runId: string, body: string, headers: Headers): Promise<void> {
    return this.post(`/v2/publish/${this.destination.url}`, this.bearer, body, {
      'Upstash-Workflow-RunId': runId,
      'Upstash-Workflow-Url': this.destination.url,
      'Upstash-Feature-Set': 'InitialBody',
      'Upstash-Forward-Upstash-Workflow-Sdk-Version': '1',
      'Upstash-Method': 'POST',
      ...headers,
    });
  }

  private async post(path: string, authorization: string, body: string, headers: Headers = {}) {
    const response = await fetch(`${this.server.url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  }
}

/** The fewest files of several rounds of what `prepare` gives, the first of them to warm up. */
async function fewest(
  prepare: () => Promise<() => Promise<unknown>>,
): Promise<readonly CoveredFile[]> {
  await (await prepare())();
  let least: readonly CoveredFile[] | null = null;
  for (let round = 0; round < rounds; round += 1) {
    const files = await coveredFiles(await prepare());
    if (least === null || files.length < least.length) least = files;
  }
  return least ?? [];
}

/** How many of the files stand in each layer: `src/messaging`, `storage`. */
function layers(files: readonly CoveredFile[]): string {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const layer = /^(?:src\/)?[^/]+/.exec(path)?.[0] ?? path;
    counts.set(layer, (counts.get(layer) ?? 0) + 1);
  }
  return [...counts].map(([layer, count]) => `${counted(count, 10)} in ${layer}\n`).join('');
}

/** The files with the functions of each that ran. */
function list(files: readonly CoveredFile[]): string {
  return files.map(({ path, functions }) => `       ${path}: ${functions.join(', ')}\n`).join('');
}

function counted(count: number, width: number): string {
  return String(count).padStart(width);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-files-'));
  const { config } = readConfiguration({ STEPWELL_PORT: '0', STEPWELL_DATA_DIR: folder });
  const { credentials } = await openCredentials(config, nodeDisk, systemIdentifiers);
  const server = await createApplication(config, credentials, {
    clock: systemClock,
    identifiers: systemIdentifiers,
    disk: nodeDisk,
    log: pino({ level: 'silent' }),
    fatal: (error) => {
      throw error;
    },
  });
  const destination = await Destination.start();
  const pair = `${credentials.restUsername}:${credentials.restPassword}`;
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  const client = new Client(server, destination, `Bearer ${credentials.tokens[0]}`, basic);
  const isListing = process.argv.includes('--list');
  for (const [name, prepare] of [
    ['publish with its delivery', async () => () => client.publish()],
    ['step with the next delivery', () => client.run()],
    ['produce', async () => () => client.produce()],
    ['fetch', async () => () => client.fetch()],
  ] as const) {
    const files = await fewest(prepare);
    process.stdout.write(`${counted(files.length, 4)} files: ${name}\n`);
    process.stdout.write(isListing ? list(files) : layers(files));
  }
  destination.server.close();
  destination.server.closeAllConnections();
  await server.stop('the files are counted');
  await rm(folder, { recursive: true });
}

await main();
