/** Limits of a connection and of a request head, before the request is judged. */
import type { FastifyServerOptions } from 'fastify';
import { headerBytesMax } from '../../http/head-limits.js';

/**
 * How long a request may take to arrive, and how long a connection stays open behind an answer;
 * milliseconds.
 */
export const serverTimeouts = {
  requestTimeout: 30_000,
  // Longer than the 60 s of common balancers: the side that reuses a connection has to be the one
  // that closes it, or a request meets a connection that is just being closed (502).
  keepAliveTimeout: 65_000,
} satisfies FastifyServerOptions;

/** Options of Node's HTTP server: strict, and with room for all headers that are allowed. */
export const parserOptions = {
  headersTimeout: 10_000,
  /** How often timeouts are looked after: a silent client is gone within 12 s. */
  connectionsCheckingInterval: 500,
  maxHeaderSize: headerBytesMax,
  insecureHTTPParser: false,
  // Node's own answer to a missing host has no body; the front door gives one.
  requireHostHeader: false,
};
