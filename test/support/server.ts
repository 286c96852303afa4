/** The whole application in this process, on a free port and a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../../src/engine/clock.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { type Application, createApplication } from '../../src/server/application.js';
import {
  type Environment,
  readConfiguration,
  type ServerMode,
} from '../../src/server/configuration/config.js';
import { shownSettings } from '../../src/server/configuration/shown-settings.js';
import { type Credentials, openCredentials } from '../../src/server/credentials/credentials.js';
import type { Ports } from '../../src/server/ports.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly credentials: Credentials;
  /** A token that may do everything, and one that may only read. */
  readonly token: string;
  readonly readToken: string;
  /** `Authorization` values. */
  readonly bearer: string;
  readonly basic: string;
  /** Of a running server; it throws for a stopped one. */
  readonly application: Application;
  /** Ends the server; the folder stays, so that another one can be started on it. */
  stop(): Promise<boolean>;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
}

export interface TestServerOptions {
  /** `STEPWELL_*` beyond port 0 and the folder. */
  readonly environment?: Environment;
  /** The command whose configuration it reads; `start` without it. */
  readonly mode?: ServerMode;
  /** A folder of an earlier server; a new temporary one without it. */
  readonly dataDirectory?: string;
  /** Clock, disk or log instead of the usual ones; the log is silent by default. */
  readonly ports?: Partial<Ports>;
}

/**
 * Of servers that no test gives others: each start fills a segment with zeros, and the shipped
 * 64 MiB, twice, are most of what it writes.
 */
export const fileSizes = { segmentBytes: 4 * 1024 * 1024, reserveBytes: 0 };

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'stepwell-')));
  const environment = {
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: dataDirectory,
    ...options.environment,
  };
  const { config, origins } = readConfiguration(environment, options.mode);
  const ports: Ports = {
    clock: systemClock,
    identifiers: systemIdentifiers,
    disk: nodeDisk,
    log: pino({ level: 'silent' }),
    settings: shownSettings(config, origins, () => 'generated'),
    consoleFolder: join(import.meta.dirname, '../../dist/console'),
    fileSizes,
    fatal: (error) => {
      throw error;
    },
    ...options.ports,
  };
  const { credentials } = await openCredentials(config, ports.disk, ports.identifiers);
  const running = new Running(await createApplication(config, credentials, ports));
  const { url } = running.application;
  const token = credentials.tokens[0] ?? '';
  const readToken = credentials.readTokens[0] ?? '';
  const pair = `${credentials.restUsername}:${credentials.restPassword}`;
  return {
    url,
    port: Number(new URL(url).port),
    dataDirectory,
    credentials,
    token,
    readToken,
    bearer: `Bearer ${token}`,
    basic: `Basic ${Buffer.from(pair).toString('base64')}`,
    get application() {
      return running.application;
    },
    stop: () => running.stop(),
    async remove() {
      await running.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/**
 * An application until it has stopped. Variables of test modules stay for as long as the process
 * that runs them, and must not keep the memory of stopped servers.
 */
class Running {
  #application: Application | undefined;
  #stopped: Promise<boolean> | undefined;

  constructor(application: Application) {
    this.#application = application;
  }

  get application(): Application {
    if (this.#application === undefined) throw new Error('the server has stopped');
    return this.#application;
  }

  stop(): Promise<boolean> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<boolean> {
    try {
      return await this.application.stop('the test is over');
    } finally {
      this.#application = undefined;
    }
  }
}
