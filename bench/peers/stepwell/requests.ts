/** What clients of Stepwell ask, as bytes. */
import type { LeanRequest } from '../../load/lean-connection.js';
import { topicName } from '../../load/log-topic.js';
import { basic, bearer } from '../../measure/stepwell-server.js';
import type { Publishing } from '../peer.js';
import { json, text } from '../processes/http.js';

export function publishRequest(
  origin: string,
  { url, bodies, delaySeconds }: Publishing,
): LeanRequest {
  const [body = ''] = bodies;
  const delay = delaySeconds === 0 ? {} : { 'svc-delay': `${delaySeconds}s` };
  if (bodies.length === 1) {
    const headers = { ...text, ...delay, authorization: bearer };
    return { origin, path: `/v2/publish/${url}`, headers, body: Buffer.from(body) };
  }
  const items = bodies.map((each) => ({ destination: url, headers: delay, body: each }));
  const headers = { ...json, authorization: bearer };
  return { origin, path: '/v2/batch', headers, body: Buffer.from(JSON.stringify(items)) };
}

export function produceRequest(origin: string, records: number, value: string): LeanRequest {
  const record = { value };
  const body = JSON.stringify(records === 1 ? record : Array(records).fill(record));
  const headers = { ...json, authorization: basic };
  return { origin, path: `/produce/${topicName}`, headers, body: Buffer.from(body) };
}
