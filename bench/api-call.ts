/** One call of the server's HTTP API, in preparation of what is measured. */
import { request } from 'undici';
import type { MeasuredProcess } from './measured-process.js';
import { bearer } from './stepwell-server.js';

/** Rejects, with the answer, unless it is 200; gives the JSON of an answer that has some. */
export async function call(
  { address }: MeasuredProcess,
  method: 'GET' | 'POST',
  path: string,
  json?: unknown,
): Promise<unknown> {
  const { statusCode, body } = await request(`${address}${path}`, {
    method,
    headers: { authorization: bearer, 'content-type': 'application/json' },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}
