/** What clients of Stepwell ask, as bytes. */
import type { LeanRequest } from '../../load/lean-connection.js';
import { topicName } from '../../load/log-topic.js';
import { basic, bearer } from '../../measure/stepwell-server.js';
import type { Publishing } from '../peer.js';
import { json, text } from '../processes/http.js';

/** With a queue, which must be there, the messages go through it. */
export function publishRequest(
  origin: string,
  { url, bodies, delaySeconds }: Publishing,
  queue: string | null = null,
): LeanRequest {
  const [body = ''] = bodies;
  const delay = delaySeconds === 0 ? {} : { 'svc-delay': `${delaySeconds}s` };
  if (bodies.length === 1) {
    const headers = { ...text, ...delay, authorization: bearer };
    const path = queue === null ? `/v2/publish/${url}` : `/v2/enqueue/${queue}/${url}`;
    return { origin, path, headers, body: Buffer.from(body) };
  }
  const place = queue === null ? {} : { queue };
  const items = bodies.map((body) => ({ destination: url, headers: delay, body, ...place }));
  const headers = { ...json, authorization: bearer };
  return { origin, path: '/v2/batch', headers, body: Buffer.from(JSON.stringify(items)) };
}

export function produceRequest(origin: string, records: number, value: string): LeanRequest {
  const record = { value };
  const body = JSON.stringify(records === 1 ? record : Array(records).fill(record));
  const headers = { ...json, authorization: basic };
  return { origin, path: `/produce/${topicName}`, headers, body: Buffer.from(body) };
}
