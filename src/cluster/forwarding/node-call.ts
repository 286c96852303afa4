/**
 * Sends a request from one node to another, signed like a hop: for the nodes' own communication.
 */
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { signHop } from './hop.js';

/** The node that makes the call. */
export interface CallingNode {
  /** The calling node's own address. */
  readonly url: string;
  /** The secret that all nodes share. */
  readonly secret: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly identifiers: Pick<Identifiers, 'randomBytes'>;
}

/** Every call between nodes is a PUT. */
const method = 'PUT';

/**
 * A call to the node at `origin`. Its answer must begin within `withinMs` and must not pause for
 * longer than `pauseMs`.
 */
export interface NodeCall {
  readonly origin: string;
  readonly path: string;
  readonly body: Buffer;
  readonly withinMs: number;
  readonly pauseMs?: number;
  /** A different seed for each call; generated if absent. */
  readonly seed?: string;
  readonly signal?: AbortSignal;
}

/** Generates a new seed for a call. */
export function callSeed({ identifiers }: CallingNode): string {
  return identifiers.randomBytes(16).toString('hex');
}

/** Calls a node; rejects if the node does not answer in time. */
export function callNode(caller: CallingNode, call: NodeCall): Promise<Dispatcher.ResponseData> {
  const { origin, path, body, withinMs, pauseMs = withinMs } = call;
  const { seed = callSeed(caller), signal } = call;
  const hop = { client: caller.url, seed, attempt: 1 };
  const headers = signHop(caller.secret, { method, path, body }, hop, caller.clock.now());
  return request(origin + path, {
    method,
    headers,
    body,
    ...(signal !== undefined && { signal }),
    headersTimeout: withinMs,
    bodyTimeout: pauseMs,
  });
}
