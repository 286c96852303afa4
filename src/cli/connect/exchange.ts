/**
 * One HTTP request and its answer. It uses `node:http`, which is loaded already: a more capable
 * client takes as long to load as a command may take to answer.
 */
import { type IncomingMessage, request } from 'node:http';

/** Names and values; an array becomes one header line for each value. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

/** A request without its address; `signal` aborts it, with the error of the signal. */
export interface Outgoing {
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A connection is considered dead after this long without data. Milliseconds. */
const silenceMsMax = 300_000;

/**
 * Requests `path` (with its query) from a server. The path is sent as is: a `URL` would resolve
 * `..` in it. Resolves once the head of the answer has arrived; its body is still to be read, and
 * fails if the connection is cut. Rejects with a system error, or when `signal` aborts.
 */
export async function exchange(
  server: string,
  path: string,
  { method, headers, body, signal }: Outgoing,
): Promise<IncomingMessage> {
  const url = new URL(server);
  const send = url.protocol === 'https:' ? (await import('node:https')).request : request;
  return new Promise((resolve, reject) => {
    const timeout = silenceMsMax;
    const sent = send(
      url,
      {
        method,
        path: `${url.pathname.replace(/\/$/, '')}${path}`,
        headers: { ...headers, ...lengthOf(body) },
        signal,
        timeout,
      },
      resolve,
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('the server went silent')));
    sent.end(body);
  });
}

/** Without this, a `GET` would not declare its body. */
function lengthOf(body: string | Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** No answer of a server is longer, not even a page of bodies. In characters. */
const textMax = 256 * 1024 * 1024;

/** The whole body as text; fails if the body is not complete. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > textMax) throw new Error(`its answer is longer than ${textMax} characters`);
  }
  return text;
}
