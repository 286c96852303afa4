/** The requests that a queue behind Fastify takes (`service.mjs`). */
import type { LeanRequest } from '../../load/lean-connection.js';
import type { Publishing, WorkKind } from '../peer.js';
import { json, text } from './http.js';

/** As many deliveries at once as the bare loop and Stepwell have for one destination. */
const parallelism = 64;

/** What a service of these is started with. */
export interface ServiceSettings {
  /** Of what keeps its messages. */
  readonly port: number;
  /** Deliveries at once. */
  readonly parallelism: number;
}

/** A queue is a service that delivers one message at a time. */
export function serviceSettings(port: number, kind: WorkKind): ServiceSettings {
  return { port, parallelism: kind === 'queue' ? 1 : parallelism };
}

export function publishRequest(
  origin: string,
  { url, bodies, delaySeconds }: Publishing,
): LeanRequest {
  const [body = ''] = bodies;
  const delay = { 'x-delay-seconds': String(delaySeconds) };
  if (bodies.length === 1) {
    const headers = { ...text, ...delay, 'x-destination': url };
    return { origin, path: '/publish', headers, body: Buffer.from(body) };
  }
  const messages = bodies.map((each) => ({ url, body: each }));
  const batch = Buffer.from(JSON.stringify(messages));
  return { origin, path: '/batch', headers: { ...json, ...delay }, body: batch };
}
