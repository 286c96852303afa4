/** Builds the HTTP side: Nest for wiring, Fastify for bytes, guards before both. */
import type { RequestListener, Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { applicationModule, type Shared } from '../app.module.js';
import { followAnswers, refuseConnection } from './client-error.js';
import { durabilityOf, tellDurability } from './durability.js';
import { ErrorFilter } from './error.filter.js';
import { sendRefusal } from './error-shapes.js';
import { ExpressLane } from './express-lane.js';
import { Failures } from './failures.js';
import { FrontDoor } from './front-door.js';
import { RouteTable } from './hot-routes.js';
import * as limits from './inbound-limits.js';
import { KnownPaths } from './known-paths.js';
import { literalTarget } from './literal-target.js';
import { NestLog } from './log.js';
import { acceptRawBodies } from './raw-body.js';

/**
 * Paths are never cleaned: `//` belongs to a destination. A parameter may be as long as a request
 * target; a slash at the end is optional (log protocol 1.1).
 */
const routerOptions = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true,
  maxParamLength: limits.headerBytesMax,
};

/** The application, built and initialised; it does not listen yet. */
export async function createHttpServer(shared: Shared): Promise<NestFastifyApplication> {
  const { log } = shared.ports;
  const frontDoor = new FrontDoor(shared.bearer, shared.basic, shared.life);
  const failures = new Failures(log);
  const adapter = adapterOf(shared);
  const fastify: FastifyInstance = adapter.getInstance();
  const routes = new RouteTable(fastify);
  const knownPaths = new KnownPaths(routerOptions);
  knownPaths.follow(fastify);
  acceptRawBodies(fastify);
  frontDoor.guard(fastify);
  tellDurability(fastify, durabilityOf(shared.config));
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const seconds = reply.elapsedTime / 1000;
    shared.metrics.requestAnswered(request.method, route, reply.statusCode, seconds);
    done();
  });
  const application = await NestFactory.create<NestFastifyApplication>(
    applicationModule(shared, routes, failures),
    adapter,
    { bodyParser: false, logger: new NestLog(log), abortOnError: false },
  );
  application.useGlobalFilters(new ErrorFilter(knownPaths, failures, log));
  await application.init();
  const { metrics, config } = shared;
  const { clock } = shared.ports;
  const { maxBodyBytes: bodyLimit } = config;
  const lane = new ExpressLane({ routes, frontDoor, failures, metrics, clock, bodyLimit });
  putInFront(lane, fastify.server);
  followAnswers(fastify.server);
  fastify.server.headersTimeout = limits.parserOptions.headersTimeout;
  fastify.server.maxConnections = limits.connectionCountMax;
  // Beyond a limit of its own Node drops headers silently, yet frames the body by them.
  fastify.server.maxHeadersCount = 0;
  return application;
}

/**
 * Fastify's listener gets what the lane leaves. A `serverFactory` of ours would do the same but
 * keep Fastify from listening on both addresses of `localhost`; the second goes the long way.
 */
function putInFront(lane: ExpressLane, server: Server): void {
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (lane.takes(request, response)) return;
    for (const listener of others) listener.call(server, request, response);
  });
}

function adapterOf({ config, ports }: Shared): FastifyAdapter {
  return new FastifyAdapter({
    ...limits.serverTimeouts,
    routerOptions,
    rewriteUrl: ({ url = '' }) => literalTarget(url),
    http: limits.parserOptions,
    bodyLimit: config.maxBodyBytes,
    exposeHeadRoutes: false,
    trustProxy: false,
    skipMiddie: true,
    loggerInstance: ports.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child per request costs more than its one binding tells; failures log the id themselves.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      sendRefusal(request, reply, { status: error.statusCode ?? 400, message: error.message });
    },
  });
}
