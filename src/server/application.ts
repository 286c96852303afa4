/**
 * The whole server over its ports. The command line, the benchmark and the tests all build, start
 * and stop it in this way.
 */

import type { Server } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { NotTheOwner } from '../../storage/faults/storage-errors.js';
import type { CommitLog } from '../cluster/commit-log.js';
import type { CallingNode } from '../cluster/forwarding/node-call.js';
import { ProcessLife } from '../engine/lifecycle/process-life.js';
import { BasicCredentials } from '../http/identity/basic-auth.js';
import { BearerTokens } from '../http/identity/bearer-token.js';
import { InboundMetrics } from '../http/inbound.metrics.js';
import { listeningPort, originOf } from '../http/listening-port.js';
import type { Tracer } from '../messaging/tracing/span.js';
import { isolatesDamage } from '../topics/topics/topic-log-name.js';
import { applicationModule } from './app.module.js';
import { type Membership, requestsDeadlineMs } from './cluster/membership.js';
import { openCluster } from './cluster/open-cluster.js';
import type { Config } from './configuration/config.js';
import { FolderFetch } from './copies/folder-fetch.js';
import { putInPlace } from './copies/put-in-place.js';
import type { Credentials } from './credentials/credentials.js';
import { archiveDisk, DiskWatch } from './disks/disk-watch.js';
import { requireArchive } from './history/archive-folder.js';
import { createHttpServer } from './http-server.js';
import { InboundConnections } from './inbound/connections.js';
import { addressesOf, listenToo } from './inbound/other-addresses.js';
import { startCautiously } from './lifecycle/cautious-start.js';
import { type DescriptorShares, shareDescriptors } from './lifecycle/descriptors.js';
import { type ListenSettings, listenError } from './lifecycle/listen-error.js';
import { readingOptions } from './lifecycle/reading-options.js';
import { ProcessMetrics } from './metrics/process.metrics.js';
import { watchProcess } from './metrics/standard.metrics.js';
import { TelemetryMetrics } from './metrics/telemetry.metrics.js';
import type { OpenPast } from './past/past-server.js';
import { openPastApplication } from './past-application.js';
import { openPastThread } from './past-thread.js';
import type { Ports } from './ports.js';
import type { Shared } from './shared.js';

/** A running server. */
export interface Application {
  /** The URL it listens at: `http://host:port`, with the port that was actually assigned. */
  readonly url: string;
  /** How many connections and attempts may be open at once. */
  readonly shares: DescriptorShares;
  readonly life: ProcessLife;
  /** For feature tests: access to everything that Nest holds. */
  readonly nest: NestFastifyApplication;
  /** Stops everything in order; resolves to true if every part stopped cleanly. */
  stop(reason: string): Promise<boolean>;
}

/**
 * Builds the server, opens its port, recovers, and resolves once it serves. If something prevents
 * the start (`StorageError`, `PortInUse`), rejects with that after stopping what was already
 * started.
 */
export async function createApplication(
  configured: Config,
  credentials: Credentials,
  ports: Ports,
): Promise<Application> {
  const shares = shareDescriptors(ports.descriptorLimit ?? Number.POSITIVE_INFINITY, configured);
  const config = { ...configured, globalParallelism: shares.attempts };
  const life = new ProcessLife(ports.clock, ports.log);
  const registry = new Registry();
  const inbound = new InboundMetrics(registry);
  const metrics = new ProcessMetrics(registry, ports.clock);
  watchProcess(registry, ports.disk, {
    startedAt: ports.clock.now() - process.uptime() * 1000,
    filesMax: shares.limit,
  });
  life.addStoppable({
    name: 'metrics',
    phase: 'rest',
    deadlineMs: 1000,
    stop: () => metrics.close(),
  });
  const begun = {
    config,
    credentials,
    ports,
    life,
    registry,
    inbound,
    bearer: new BearerTokens(credentials.tokens, credentials.readTokens),
    basic: new BasicCredentials(credentials.restUsername, credentials.restPassword),
    openPast: pastOf(config, ports),
    cluster: null,
    tracer: await tracerOf(config, ports, life, registry),
  };
  const connections = new InboundConnections(shares, { ...ports, metrics: inbound });
  try {
    await prepareFolders(config, ports, life);
    // Read-only servers need no shared log: they show what the local folder holds.
    const cluster =
      life.changesNothing === null
        ? await openCluster(config, clusterPorts(config, ports, life), ports.commitLog)
        : null;
    const shared: Shared = { ...begun, cluster, membership: cluster };
    const nest = await createHttpServer(shared, connections, applicationModule);
    await openDoors(nest, shared, connections);
    const recovered = life.recover();
    // A follower forwards requests to the owner and may do so indefinitely.
    recovered.catch(() => undefined);
    await Promise.race(cluster === null ? [recovered] : [recovered, cluster.following]);
    if (cluster !== null) recovered.catch(ports.fatal);
    const stop = (reason: string) => life.stop(reason);
    return { url: urlOf(config.host, nest), shares, life, nest, stop };
  } catch (error) {
    await life.stop('the start failed');
    throw error;
  }
}

/**
 * Makes sure that the data folder is the right one to start with, and that everything else the
 * start needs is available.
 */
async function prepareFolders(config: Config, ports: Ports, life: ProcessLife): Promise<void> {
  const changes = config.readOnly !== 'always';
  const mayFetch = config.commitLog !== null;
  const { disk, clock, identifiers } = ports;
  const reading = readingOptions(clock, identifiers, isolatesDamage);
  if (changes && (await putInPlace(disk, config.dataDirectory, reading, mayFetch))) {
    ports.log.info('the data folder was replaced by a copy from another node');
  }
  const watch = new DiskWatch(life, ports.log, { ...archiveDisk, meanwhile: 'the start waits' });
  await requireArchive(config, watch.over(ports.disk));
  await startCautiously(config, ports, life);
}

function clusterPorts({ dataDirectory }: Config, ports: Ports, life: ProcessLife) {
  const { clock, identifiers, disk, fatal, log: logger } = ports;
  const leave = async () => {
    const handedOver = 'the shared log was handed over';
    await life.stop(handedOver);
    fatal(new NotTheOwner(handedOver));
  };
  const fetchFolder = (log: CommitLog, caller: CallingNode) => {
    const options = readingOptions(clock, identifiers, isolatesDamage);
    const { secret } = caller;
    const copy = { disk, dataDirectory, options, secret };
    const fetch = new FolderFetch({ ...copy, log, caller, clock, logger });
    const stop = () => fetch.stop();
    life.addStoppable({ name: 'fetched folder', phase: 'doors', deadlineMs: 1000, stop });
    return fetch.fetch();
  };
  return { clock, identifiers, fatal, leave, fetchFolder, logger };
}

/** Loads no telemetry code if no collector is configured. */
async function tracerOf(
  { telemetry }: Config,
  { clock, log }: Ports,
  life: ProcessLife,
  registry: Registry,
): Promise<Tracer | null> {
  const metrics = new TelemetryMetrics(registry);
  if (telemetry === null) return null;
  const { openTelemetry } = await import('./telemetry/telemetry.js');
  return openTelemetry(telemetry, { registry, metrics, clock, log, life });
}

/** Opens the past in a thread of its own if the disk is a real one. */
function pastOf(config: Config, ports: Ports): OpenPast {
  const { fileSizes, streamSizes, build } = ports;
  const plain = {
    ...(fileSizes !== undefined && { fileSizes }),
    ...(streamSizes !== undefined && { streamSizes }),
    ...(build !== undefined && { build }),
  };
  return (moment) =>
    ports.disk === nodeDisk
      ? openPastThread({ config, moment, ports: plain })
      : openPastApplication(config, { ...moment, throwIfStopped: () => undefined }, ports);
}

/** Listens at every address of the host; `life` closes the listeners. */
async function openDoors(
  nest: NestFastifyApplication,
  { config, life, membership, ports }: Pick<Shared, 'config' | 'life' | 'membership' | 'ports'>,
  connections: InboundConnections,
): Promise<void> {
  const [address, ...others] = await addressesOf(config.host);
  const listeners: Server[] = [];
  life.addStoppable(doors(nest, membership, connections, listeners));
  await listen(nest, config, address);
  for (const other of others) {
    const listener = await listenToo(nest.getHttpServer(), other, portOf(nest));
    if (listener !== null) listeners.push(listener);
  }
  // Accepting can fail if file descriptors run out: the client retries, and the server keeps
  // running.
  nest.getHttpServer().on('error', (error: Error) => {
    ports.log.warn({ err: error }, 'a connection was not accepted');
  });
}

const listenSettings: ListenSettings = {
  hostVariable: 'STEPWELL_HOST',
  portVariable: 'STEPWELL_PORT',
  advice: 'set STEPWELL_PORT to a free one, or to 0 for any',
};

/**
 * Listens through Fastify directly: Nest's own `listen` would also log a failure, which is already
 * reported by the caller of this function.
 */
async function listen(
  nest: NestFastifyApplication,
  { host, port }: Config,
  address: string,
): Promise<void> {
  const fastify: FastifyInstance = nest.getHttpAdapter().getInstance();
  try {
    await fastify.listen({ host: address, port });
  } catch (error) {
    throw listenError({ host, port }, listenSettings, error);
  }
}

/**
 * Stops accepting requests and waits for those in flight; cuts those still open at the deadline.
 */
function doors(
  nest: NestFastifyApplication,
  membership: Membership | null,
  connections: InboundConnections,
  others: Server[],
) {
  return {
    name: 'doors',
    phase: 'doors' as const,
    get deadlineMs() {
      return requestsDeadlineMs(membership);
    },
    stop: () => {
      connections.drain();
      for (const other of others) other.close();
      return nest.close();
    },
    cut: () => connections.cut(),
  };
}

function urlOf(host: string, nest: NestFastifyApplication): string {
  return originOf(host, portOf(nest));
}

function portOf(nest: NestFastifyApplication): number {
  return listeningPort(nest.getHttpServer());
}
