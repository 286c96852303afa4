/** The whole server in this process, on a clock that is moved and with small segments. */
import { pino } from 'pino';
import { request } from 'undici';
import { systemClock } from '../../src/engine/clock.js';
import { Engine } from '../../src/engine/engine.js';
import { JournalSweeper } from '../../src/engine/history/journal-sweeper.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { Journal } from '../../src/engine/journal.js';
import { type Application, createApplication } from '../../src/server/application.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { openCredentials } from '../../src/server/credentials/credentials.js';
import { MovableClock } from '../../src/server/development/movable-clock.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { Store } from '../../storage/store.js';
import { basic, bearer, token } from '../measure/stepwell-server.js';
import type { RunRequests } from '../programs/workflow-protocol.js';
import { MonthEndpoints } from './month-endpoints.js';

/** So many turns of the loop nothing is under way before the server is taken to be at rest. */
const quietTurns = 5;

const aliveMs = 60_000;

export class MonthServer {
  /** Timers of the server keep no process alive, and its stop waits for some. */
  private readonly alive = setInterval(() => undefined, aliveMs);

  private constructor(
    readonly directory: string,
    readonly clock: MovableClock,
    /** What the server could not go on from, or thought worth a warning. */
    readonly problems: readonly string[],
    readonly requests: RunRequests,
    private readonly endpoints: MonthEndpoints,
    private readonly application: Application,
  ) {}

  /**
   * Starts it on a folder; every setting that says how long something is kept is as shipped, and so
   * is the size of segments where none is given.
   */
  static async start(directory: string, segmentBytes?: number): Promise<MonthServer> {
    const clock = new MovableClock(systemClock);
    const endpoints = new MonthEndpoints(clock);
    const { config } = readConfiguration({
      STEPWELL_PORT: '0',
      STEPWELL_DATA_DIR: directory,
      STEPWELL_TOKEN: token,
      STEPWELL_REST_USERNAME: 'bench',
      STEPWELL_REST_PASSWORD: 'password-of-the-bench',
      STEPWELL_DIALECT: 'upstash',
    });
    const problems: string[] = [];
    const ports = {
      clock,
      identifiers: systemIdentifiers,
      // A thread for digests, as one on `nodeDisk` itself has, would begin anew with each move.
      disk: { ...nodeDisk },
      endpoints,
      fileSizes: { reserveBytes: 0, ...(segmentBytes !== undefined && { segmentBytes }) },
      log: pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) }),
      fatal: (error: unknown) => void problems.push(String(error)),
    };
    const { credentials } = await openCredentials(config, nodeDisk, systemIdentifiers);
    const application = await createApplication(config, credentials, ports);
    const requests = endpoints.serve(application.url);
    return new MonthServer(directory, clock, problems, requests, endpoints, application);
  }

  get engine(): Engine {
    return this.application.nest.get(Engine);
  }

  get store(): Store {
    return this.application.nest.get(Store);
  }

  /** The offset that its next event will have. */
  get journalEnd(): number {
    return this.application.nest.get(Journal).endOffset;
  }

  /** Asks it for something; throws what is no success. */
  async ask(
    method: 'POST' | 'DELETE',
    path: string,
    json: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const authorization = path.startsWith('/v2/') ? bearer : basic;
    const { statusCode, body } = await request(`${this.application.url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** Time passes, and what is due in it is done: attempts, sweeps, what topics let go. */
  async pass(durationMs: number): Promise<void> {
    this.clock.forward(durationMs);
    await this.rest();
  }

  /** Settles when no attempt and no sweep is under way. */
  async rest(): Promise<void> {
    const { endpoints } = this;
    const sweeper = this.application.nest.get(JournalSweeper, { strict: false });
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      const { calls } = endpoints;
      await new Promise((resolve) => setTimeout(resolve, 1));
      await this.engine.durable();
      await sweeper.ended;
      if (endpoints.open > 0 || endpoints.calls > calls) quiet = 0;
    }
  }

  async stop(): Promise<void> {
    await this.requests.close();
    await this.application.stop('the month is over');
    clearInterval(this.alive);
  }
}
