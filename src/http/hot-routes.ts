/** The door for routes that a request budget leaves no room in for Nest's argument pipeline. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Refusal } from './error-shapes.js';
import { FastifyExchange } from './fastify-exchange.js';
import { RouteCatalogue } from './route-catalogue.js';
import type { RouteDescription } from './route-description.js';

/**
 * Routes that a feature registers straight on Fastify. Their credentials have been checked by the
 * front door, their body is a `Buffer` (`rawBody`), their answers are strings; a refusal goes out
 * through `sendRefusal`, a thrown error through the error filter. A route's `bodyLimit` is its own.
 */
export interface HotRoutes {
  register(fastify: FastifyInstance): void;
}

/** A request that was read whole and waits for its one answer, whoever took it in. */
export interface Exchange {
  /** Its head; its body has been consumed. */
  readonly request: IncomingMessage;
  /** None is an empty buffer. */
  readonly body: Buffer;
  /** `headers` are names in lower case and values, in turn. */
  answer(status: number, headers: readonly string[], body: string): void;
  /** An expected refusal, in the shape of the route's interface. */
  refuse(refusal: Refusal): void;
  /** A thrown error: logged, answered as the error filter says. */
  fail(error: unknown): void;
}

/**
 * `POST <path>` and `POST <path>/...`, declared once and served by two: ordinary requests by the
 * express lane, before Nest and Fastify, and all others by Fastify. ADR 0006 has the reasons.
 */
export interface ExpressRoute {
  /** Plain text without parameters: `/v2/publish`. */
  readonly path: string;
  readonly description: RouteDescription;
  /** Answers, refuses or fails the exchange once, now or later. What it throws fails it. */
  serve(exchange: Exchange): void;
}

/** Takes routes while the modules are built: `constructor(table: RouteTable, routes: MyRoutes)`. */
export class RouteTable {
  /** Every route of the server, a controller's too. */
  readonly catalogue = new RouteCatalogue();
  private readonly express: ExpressRoute[] = [];

  constructor(private readonly fastify: FastifyInstance) {
    this.catalogue.follow(fastify);
  }

  add(routes: HotRoutes): void {
    routes.register(this.fastify);
  }

  addExpress(route: ExpressRoute): void {
    this.express.push(route);
    const config = { description: route.description };
    for (const path of [route.path, patternOf(route)]) {
      this.fastify.post(path, { config }, (request, reply) => {
        route.serve(new FastifyExchange(request, reply));
      });
    }
  }

  /** The express route that serves `POST <target>`, if the target goes beyond its path. */
  expressFor(target: string): ExpressRoute | undefined {
    for (const route of this.express) {
      const { path } = route;
      if (target.startsWith(path) && target[path.length] === '/') return route;
    }
    return undefined;
  }
}

/** The pattern that tells a route's requests in metrics, however they came in. */
export function patternOf({ path }: ExpressRoute): string {
  return `${path}/*`;
}
