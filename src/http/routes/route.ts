/**
 * A route of the server. What clients call for each message, record or step, and what the server
 * says of itself, is a `Route`; what people manage and look through is a controller of Nest.
 */
import type { HTTPMethods } from 'fastify';
import type { Refusal } from '../../grammar/result.js';
import type { Exchange, LongExchange } from './exchange.js';
import type { FastifyExchange } from './fastify-exchange.js';
import type { RouteDescription } from './route-description.js';

/**
 * A feature adds its routes to the `RouteTable`. The front door has checked the credentials of what
 * is served; a body is bytes, whatever its type.
 */
export type Route = ExpressRoute | LongExpressRoute | FastifyRoute;

/** What every route declares. */
interface RouteHead {
  readonly methods: readonly HTTPMethods[];
  /** As Fastify has it, and as metrics tell it: `/v2/publish/*`, `/offsets/:timestamp`. */
  readonly pattern: string;
  readonly description: RouteDescription;
  /** The largest body, in bytes; without it the server's. */
  readonly bodyBytesMax?: number;
}

/**
 * A hot route, declared once and served by two: ordinary requests by the express lane, before Nest
 * and Fastify, and all others by Fastify. ADR 0006 has the reasons. Its pattern is plain text, and
 * `/*` (anything) or `/:name` (one segment) may end it.
 */
export interface ExpressRoute extends RouteHead {
  readonly isExpress: true;
  readonly isLong?: false;
  /** Answers, refuses or fails the exchange once, now or later. What it throws fails it. */
  serve(exchange: Exchange): void;
}

/** An express route whose answers may be long: they are made as the client takes them. */
export interface LongExpressRoute extends RouteHead {
  readonly isExpress: true;
  readonly isLong: true;
  /** As `ExpressRoute.serve`. */
  serve(exchange: LongExchange): void;
}

/** A route that Fastify alone serves. */
export interface FastifyRoute extends RouteHead {
  readonly isExpress?: false;
  readonly isLong?: false;
  /** Why a request is refused before its body is read: the exchange has none yet. */
  judge?(exchange: FastifyExchange): Promise<Refusal | null>;
  /** As `ExpressRoute.serve`; what its promise rejects with fails the exchange, too. */
  serve(exchange: FastifyExchange): void | Promise<void>;
}
