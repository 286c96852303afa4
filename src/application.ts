/** The whole server over its ports: built, opened and ended alike by `main.ts` and by tests. */
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Shared } from './app.module.js';
import type { Config } from './config.js';
import type { Credentials } from './credentials.js';
import { BasicCredentials } from './http/basic-auth.js';
import { BearerTokens } from './http/bearer-token.js';
import { createHttpServer } from './http/http-server.js';
import { ProcessLife } from './lifecycle/process-life.js';
import { Metrics } from './metrics/metrics.js';
import type { Ports } from './ports.js';

/** How long requests in flight may take once the doors close. */
const doorsDeadlineMs = 10_000;

/** A server that serves. */
export interface Application {
  /** Where it listens: `http://host:port` with the port it got. */
  readonly url: string;
  readonly life: ProcessLife;
  /** For tests of features: whatever Nest holds. */
  readonly nest: NestFastifyApplication;
  /** Ends everything in order; true if all of it ended well. */
  stop(reason: string): Promise<boolean>;
}

/**
 * Builds the server, opens its port, recovers, and returns when it serves. Throws what stands in
 * the way (`StorageError`, a port in use) after it has ended what it began.
 */
export async function createApplication(
  config: Config,
  credentials: Credentials,
  ports: Ports,
): Promise<Application> {
  const life = new ProcessLife(ports.clock, ports.log);
  const metrics = new Metrics();
  life.addStoppable({
    name: 'metrics',
    phase: 'rest',
    deadlineMs: 1000,
    stop: () => metrics.close(),
  });
  const shared: Shared = {
    config,
    credentials,
    ports,
    life,
    metrics,
    bearer: new BearerTokens(credentials.tokens, credentials.readTokens),
    basic: new BasicCredentials(credentials.restUsername, credentials.restPassword),
  };
  try {
    const nest = await createHttpServer(shared);
    life.addStoppable(doors(nest));
    await nest.listen({ host: config.host, port: config.port });
    await life.recover();
    const stop = (reason: string) => life.stop(reason);
    return { url: urlOf(config.host, nest), life, nest, stop };
  } catch (error) {
    await life.stop('the start failed');
    throw error;
  }
}

/** Takes nothing new in and waits for what is in; whoever is still there at the end is cut. */
function doors(nest: NestFastifyApplication) {
  const server = nest.getHttpServer();
  return {
    name: 'doors',
    phase: 'doors' as const,
    deadlineMs: doorsDeadlineMs,
    stop: () => {
      // Node shuts what is idle now; what answers its last request later must not linger idle.
      server.keepAliveTimeout = 1;
      return nest.close();
    },
    cut: () => server.closeAllConnections(),
  };
}

function urlOf(host: string, nest: NestFastifyApplication): string {
  const { port } = nest.getHttpServer().address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
