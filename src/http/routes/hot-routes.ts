/** The door for routes that a request budget leaves no room in for Nest's argument pipeline. */

import type { FastifyInstance } from 'fastify';
import type { Exchange } from './exchange.js';
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

/**
 * `POST <pattern>`, declared once and served by two: ordinary requests by the express lane, before
 * Nest and Fastify, and all others by Fastify. ADR 0006 has the reasons.
 */
export interface ExpressRoute {
  /**
   * As Fastify has it, and as metrics tell it: plain text, which `/*` (anything) or `/:name` (one
   * segment) may end: `/v2/publish/*`.
   */
  readonly pattern: string;
  readonly description: RouteDescription;
  /** The largest body, in bytes; without it the server's. */
  readonly bodyBytesMax?: number;
  /** Answers, refuses or fails the exchange once, now or later. What it throws fails it. */
  serve(exchange: Exchange): void;
}

/** An express route and which targets are its own. */
interface KnownRoute {
  readonly route: ExpressRoute;
  readonly takes: (target: string) => boolean;
}

/** Takes routes while the modules are built: `constructor(table: RouteTable, routes: MyRoutes)`. */
export class RouteTable {
  /** Every route of the server, a controller's too. */
  readonly catalogue = new RouteCatalogue();
  private readonly express: KnownRoute[] = [];

  constructor(private readonly fastify: FastifyInstance) {
    this.catalogue.follow(fastify);
  }

  add(routes: HotRoutes): void {
    routes.register(this.fastify);
  }

  addExpress(route: ExpressRoute): void {
    const { pattern, description, bodyBytesMax: bodyLimit } = route;
    this.express.push({ route, takes: targetsOf(pattern) });
    const options = { config: { description }, ...(bodyLimit !== undefined && { bodyLimit }) };
    this.fastify.post(pattern, options, (request, reply) => {
      route.serve(new FastifyExchange(request, reply));
    });
  }

  /** The express route that serves `POST <target>`, where that can be told without decoding. */
  expressFor(target: string): ExpressRoute | undefined {
    for (const { route, takes } of this.express) if (takes(target)) return route;
    return undefined;
  }
}

/** What may stand in a target behind the plain text of a pattern. */
const anything = /^/;
const nothing = /^(?:\?|$)/;
const oneSegment = /^[^/?#]+(?:\?|$)/;

/** Which request targets a pattern takes: some that the router gives it too are left to it. */
function targetsOf(pattern: string): (target: string) => boolean {
  const [, prefix = '', tail = ''] = /^(.*?)(\*|:\w+)?$/.exec(pattern) ?? [];
  const rest = tail === '*' ? anything : tail === '' ? nothing : oneSegment;
  return (target) => target.startsWith(prefix) && rest.test(target.slice(prefix.length));
}
