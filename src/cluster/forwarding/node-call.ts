/** A request of one node to another, signed as a hop is: what nodes have to say to each other. */
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { signHop } from './hop.js';

/** A node that calls. */
export interface CallingNode {
  /** Its own address. */
  readonly url: string;
  /** The one that all nodes share. */
  readonly secret: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly identifiers: Pick<Identifiers, 'randomBytes'>;
}

/** All that nodes say to each other is a PUT. */
const method = 'PUT';

/**
 * What is asked of the node at `origin`; its answer has to begin within `withinMs`, and no pause of
 * it may be longer than `pauseMs`.
 */
export interface NodeCall {
  readonly origin: string;
  readonly path: string;
  readonly body: Buffer;
  readonly withinMs: number;
  readonly pauseMs?: number;
  /** Another one for each call; without it one is made. */
  readonly seed?: string;
  readonly signal?: AbortSignal;
}

/** A new one of a call. */
export function callSeed({ identifiers }: CallingNode): string {
  return identifiers.randomBytes(16).toString('hex');
}

/** Calls a node; rejects where it does not answer. */
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
