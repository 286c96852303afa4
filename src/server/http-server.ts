/**
 * Builds the HTTP side: Nest does the wiring, Fastify handles the bytes, and guards run before
 * both.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { Store } from '../../storage/store.js';
import { type Clock, systemClock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { Journal } from '../engine/journal.js';
import { provided } from '../engine/provided.js';
import { Refusal } from '../grammar/result.js';
import { ByteBudget } from '../http/bytes/byte-budget.js';
import { InFlight } from '../http/bytes/in-flight.js';
import { durabilityOf } from '../http/durability.js';
import { codeOf, sendRefusal } from '../http/error-shapes.js';
import { Failures } from '../http/failures.js';
import { headerBytesMax } from '../http/head-limits.js';
import { Callers, requestIdHeader } from '../http/identity/callers.js';
import { SeenClients } from '../http/identity/seen-clients.js';
import { literalTarget } from '../http/literal-target.js';
import { acceptRawBodies } from '../http/routes/raw-body.js';
import { RouteTable } from '../http/routes/route-table.js';
import { sendDurability } from '../http/routes/shown-durability.js';
import { refuseUnknownFilters } from '../http/routes/unknown-filters.js';
import { ClusterMetrics } from './cluster-http/cluster.metrics.js';
import { ClusterSide, type ClusterSidePorts } from './cluster-http/cluster-side.js';
import { NodeRoutes } from './cluster-http/node-routes.js';
import { allowedOrigins } from './configuration/config.js';
import { GivenCopies } from './copies/given-copies.js';
import { AnswerLog } from './inbound/answer-log.js';
import {
  closeIdle,
  refuseConnection,
  refuseLateRequest,
  refuseTunnels,
} from './inbound/client-error.js';
import type { InboundConnections } from './inbound/connections.js';
import { allowRequest, isPreflight, shareWithOrigin } from './inbound/cross-origin.js';
import { ErrorFilter } from './inbound/error.filter.js';
import { ExpressLane, type LaneContext, putInFront } from './inbound/express-lane.js';
import { ForeignPages } from './inbound/foreign-pages.js';
import { FrontDoor } from './inbound/front-door.js';
import * as limits from './inbound/inbound-limits.js';
import { LaneRequest } from './inbound/lane-request.js';
import { RefusedRequests } from './inbound/refused-requests.js';
import { SocketLane } from './inbound/sockets/socket-lane.js';
import { refuseUnnamedPaths } from './inbound/unnamed-paths.js';
import { exitCodeOf } from './lifecycle/exit-code-of.js';
import { exitCodes } from './lifecycle/exit-codes.js';
import { fastifyLog, NestLog } from './logging/log.js';
import { PastDoor } from './past/past-door.js';
import type { Shared } from './shared.js';

/**
 * Paths are never normalised: `//` belongs to a destination. A parameter may be as long as a
 * request target; a trailing slash is optional (topics.md 1.1).
 */
const routerOptions = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true,
  maxParamLength: headerBytesMax,
};

/** The parts that receive the requests of the application. */
export interface HttpSide {
  readonly routes: RouteTable;
  readonly failures: Failures;
  readonly inFlight: InFlight;
  readonly connections: InboundConnections;
  readonly refused: RefusedRequests;
  readonly pastDoor: PastDoor;
  readonly seen: SeenClients;
}

/** Makes the module of the whole application from the shared objects and the HTTP side. */
export type ModuleOf = (shared: Shared, http: HttpSide) => DynamicModule;

/** The application, built and initialised, but not yet listening. */
export async function createHttpServer(
  shared: Shared,
  connections: InboundConnections,
  moduleOf: ModuleOf,
): Promise<NestFastifyApplication> {
  const { log } = shared.ports;
  const seen = new SeenClients();
  const callers = new Callers(shared.config.trustedProxies, shared.ports.identifiers, seen);
  const { bearer, basic, life } = shared;
  const pages = new ForeignPages(shared.config);
  const frontDoor = new FrontDoor(bearer, basic, life, connections, callers, pages);
  const failures = new Failures(log);
  const adapter = adapterOf(shared, connections, callers);
  const fastify: FastifyInstance = adapter.getInstance();
  const inFlight = inFlightOf(shared);
  const refused = new RefusedRequests(shared.inbound);
  const routes = new RouteTable(fastify, inFlight, routerOptions);
  const node = nodeOf(shared, { connections, callers, frontDoor, inFlight, routes });
  acceptRawBodies(fastify);
  frontDoor.guard(fastify, routes);
  refuseUnnamedPaths(fastify);
  refuseUnknownFilters(fastify);
  const pastDoor = new PastDoor(basic);
  pastDoor.guard(fastify);
  inFlight.guard(fastify);
  sendDurability(fastify, durabilityOf(shared.config));
  shared.inbound.countAnswers(fastify, refused);
  const application = await NestFactory.create<NestFastifyApplication>(
    moduleOf(shared, { routes, failures, inFlight, connections, refused, pastDoor, seen }),
    adapter,
    { bodyParser: false, logger: new NestLog(log, isExpected), abortOnError: false },
  );
  application.useGlobalFilters(new ErrorFilter(routes, failures, log));
  await application.init();
  const lane = laneOf(shared, { routes, frontDoor, failures, refused, inFlight });
  putInFrontOf(fastify, shared, lane);
  const engine = application.get(Engine);
  node?.guard({
    server: fastify.server,
    journal: application.get(Journal),
    nodeRoutes: nodeRoutesOf(shared, application),
    durable: () => engine.durable(),
    durability: durabilityOf(shared.config),
  });
  dateBy(fastify.server, shared.ports.clock);
  const sockets = new SocketLane({ lane, connections, node });
  connections.guard(fastify.server, sockets.take.bind(sockets));
  refuseTunnels(fastify.server, connections);
  closeIdle(fastify.server);
  fastify.server.headersTimeout = limits.parserOptions.headersTimeout;
  // With a limit of its own, Node would silently drop the headers beyond it but still frame the
  // body by them.
  fastify.server.maxHeadersCount = 0;
  return application;
}

/**
 * Whether an error is an expected reason for a failed start, which is printed after `stepwell:`
 * when the process ends.
 */
function isExpected(error: Error): boolean {
  return exitCodeOf(error) !== exitCodes.failure;
}

/** Node dates answers by the machine's clock, which is not the clock of a development server. */
function dateBy(server: Server, clock: Clock): void {
  if (clock === systemClock) return;
  server.prependListener('request', (_, response) => {
    response.setHeader('Date', new Date(clock.now()).toUTCString());
  });
}

function nodeRoutesOf(
  { cluster, config, ports }: Shared,
  application: NestFastifyApplication,
): NodeRoutes | null {
  if (cluster === null) return null;
  const copies = new GivenCopies({
    disk: ports.disk,
    dataDirectory: config.dataDirectory,
    options: application.get(provided.readingOptions),
    snapshots: application.get(Store).snapshots,
    secret: config.clusterSecret ?? '',
  });
  const giveCopy = copies.give.bind(copies);
  return new NodeRoutes({ cluster, giveCopy, log: ports.log });
}

function laneOf(
  { inbound: metrics, config, ports: { clock, log } }: Shared,
  http: Pick<LaneContext, 'routes' | 'frontDoor' | 'failures' | 'refused' | 'inFlight'>,
): LaneContext {
  return { ...http, metrics, clock, bodyLimit: config.maxBodyBytes, log };
}

/** Serves in front of Fastify: express routes, and the preflight requests of browsers. */
function putInFrontOf(fastify: FastifyInstance, { config }: Shared, context: LaneContext): void {
  const lane = new ExpressLane(context);
  putInFront(fastify.server, lane.tryServe.bind(lane));
  const mayRead = allowedOrigins(config);
  if (mayRead === null) return;
  putInFront(fastify.server, (request, response) => {
    if (!shareWithOrigin(request, response, mayRead)) return false;
    if (!isPreflight(request) || !context.frontDoor.isSound(request)) return false;
    allowRequest(request, response);
    return true;
  });
}

/** Null if the server is not a node of a cluster. */
function nodeOf(
  { membership, registry, config, ports, life }: Shared,
  http: Pick<ClusterSidePorts, 'connections' | 'callers' | 'frontDoor' | 'inFlight' | 'routes'>,
): ClusterSide | null {
  const metrics = new ClusterMetrics(registry, membership);
  if (membership === null) return null;
  return new ClusterSide({ membership, config, ports, life, metrics, ...http });
}

function inFlightOf({ config, ports, inbound }: Shared): InFlight {
  const budget = new ByteBudget(config.inFlightBytes);
  inbound.watchInFlight(budget.limit, () => budget.used);
  return new InFlight({ budget, clock: ports.clock, metrics: inbound });
}

function adapterOf(
  { config, ports }: Shared,
  connections: InboundConnections,
  callers: Callers,
): FastifyAdapter {
  return new FastifyAdapter({
    ...limits.serverTimeouts,
    routerOptions,
    rewriteUrl: literalTarget,
    http: { ...limits.parserOptions, IncomingMessage: LaneRequest },
    bodyLimit: config.maxBodyBytes,
    exposeHeadRoutes: false,
    trustProxy: false,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => callers.idOf(request),
    skipMiddie: true,
    loggerInstance: fastifyLog(ports.log),
    logController: new AnswerLog(ports.log),
    // A child logger per request costs more than its single binding is worth; failures log the
    // request id themselves.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    clientErrorHandler: (error, socket) => {
      const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
      (isLate ? refuseLateRequest : refuseConnection)(error, socket, connections);
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      reply.header(requestIdHeader, request.id);
      sendRefusal(request, reply, new Refusal(codeOf(error.statusCode ?? 400), error.message));
    },
  });
}
