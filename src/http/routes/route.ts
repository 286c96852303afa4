/**
 * A route of the server. Routes that clients call for each message, record or step, and those with
 * which the server reports about itself, are `Route`s; routes that people use to manage and look
 * through things are controllers of Nest.
 */
import type { HTTPMethods } from 'fastify';
import type { Refusal } from '../../grammar/result.js';
import type { Exchange, LongExchange } from './exchange.js';
import type { FastifyExchange } from './fastify-exchange.js';
import type { RouteDescription } from './route-description.js';

/**
 * A feature adds its routes to the `RouteTable`. The front door has checked the credentials of
 * every request that is served. A body is bytes, whatever its type.
 */
export type Route = ExpressRoute | LongExpressRoute | FastifyRoute;

/** What every route declares. */
interface RouteHead {
  readonly methods: readonly HTTPMethods[];
  /** The pattern as Fastify and metrics spell it: `/v2/publish/*`, `/offsets/:timestamp`. */
  readonly pattern: string;
  readonly description: RouteDescription;
  /** The largest body, in bytes; absent = the limit of the server. */
  readonly bodyBytesMax?: number;
}

/**
 * A hot route, which is declared once and served in two ways: ordinary requests by the express
 * lane, before Nest and Fastify, and all others by Fastify. ADR 0006 has the reasons. The pattern
 * is plain text, which may end with `/*` (anything) or `/:name` (one segment).
 */
export interface ExpressRoute extends RouteHead {
  readonly isExpress: true;
  readonly isLong?: false;
  /** Answers, refuses or fails the exchange once, now or later. An exception fails it. */
  serve(exchange: Exchange): void;
}

/** An express route whose answers may be long: they are made as the client takes them. */
export interface LongExpressRoute extends RouteHead {
  readonly isExpress: true;
  readonly isLong: true;
  /** Like `ExpressRoute.serve`. */
  serve(exchange: LongExchange): void;
}

/** A route that Fastify alone serves. */
export interface FastifyRoute extends RouteHead {
  readonly isExpress?: false;
  readonly isLong?: false;
  /** Why a request is refused before its body is read: the exchange has no body yet. */
  judge?(exchange: FastifyExchange): Promise<Refusal | null>;
  /** Like `ExpressRoute.serve`; a rejected promise fails the exchange, too. */
  serve(exchange: FastifyExchange): void | Promise<void>;
}
