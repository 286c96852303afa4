/** Limits of a connection and of a request head, which apply before the request is judged. */
import type { FastifyServerOptions } from 'fastify';
import { headerBytesMax } from '../../http/head-limits.js';

/**
 * How long a request may take to arrive, and how long a connection stays open after an answer; in
 * milliseconds.
 */
export const serverTimeouts = {
  requestTimeout: 30_000,
  // Longer than the 60 s of common load balancers: the side that reuses a connection must be the
  // one that closes it; otherwise a request may meet a connection that is just being closed (502).
  keepAliveTimeout: 65_000,
} satisfies FastifyServerOptions;

/** Options of Node's HTTP server: strict, and with room for every header that is allowed. */
export const parserOptions = {
  headersTimeout: 10_000,
  /** How often timeouts are checked: a silent client is gone within 12 s. */
  connectionsCheckingInterval: 500,
  maxHeaderSize: headerBytesMax,
  insecureHTTPParser: false,
  // Node's own answer to a missing host has no body; the front door answers with one.
  requireHostHeader: false,
};
