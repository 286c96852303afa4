/** What a request brings that another node passed on, or that waited for an owner (ADR 79). */
import type { IncomingMessage } from 'node:http';
import type { RequestSeed } from '../../engine/principal/request-seed.js';

/** Where a request comes from, as the node says that took it. */
export interface PassedOn {
  /** The address of its client; null = that of its connection. */
  readonly client: string | null;
  readonly seed: RequestSeed;
}

const passedOn = Symbol('passed on');

interface PassedOnRequest extends IncomingMessage {
  [passedOn]?: PassedOn;
}

/** Remembers it; before the request is served. */
export function markPassedOn(request: IncomingMessage, from: PassedOn): void {
  (request as PassedOnRequest)[passedOn] = from;
}

/** Undefined where a client of this node sent the request. */
export function passedOnOf(request: IncomingMessage): PassedOn | undefined {
  return (request as PassedOnRequest)[passedOn];
}

/** The address that a request comes from, whichever node took it; before proxies are looked at. */
export function addressOf(request: IncomingMessage): string {
  return passedOnOf(request)?.client ?? request.socket.remoteAddress ?? '';
}
