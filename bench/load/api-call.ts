/** One call of the server's HTTP API, in preparation of what is measured. */
import { request } from 'undici';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { basic, bearer } from '../measure/stepwell-server.js';

type Method = 'GET' | 'POST' | 'DELETE';

/** Rejects, with the answer, unless it is a success; gives the JSON of an answer that has some. */
export function call(
  server: MeasuredProcess,
  method: Method,
  path: string,
  json?: unknown,
): Promise<unknown> {
  return ask(server, bearer, method, path, json);
}

/** The same of the log interface, which has credentials of its own. */
export function callLog(
  server: MeasuredProcess,
  method: Method,
  path: string,
  json?: unknown,
): Promise<unknown> {
  return ask(server, basic, method, path, json);
}

async function ask(
  { address }: MeasuredProcess,
  authorization: string,
  method: Method,
  path: string,
  json: unknown,
): Promise<unknown> {
  const { statusCode, body } = await request(`${address}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const text = await body.text();
  if (statusCode >= 300) {
    throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
  }
  return text === '' ? null : JSON.parse(text);
}
