/** The requests that a queue behind Fastify takes (`service.mjs`). */
import type { LeanRequest } from '../../load/lean-connection.js';
import type { Publishing } from '../peer.js';
import { json, text } from './http.js';

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
