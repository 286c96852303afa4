/**
 * One request over HTTP, and its answer. By `node:http`, which is loaded already: a client that
 * can do more takes as long to load as a command may take to answer.
 */
import { type IncomingMessage, request } from 'node:http';

/** Names and values; an array is a line for each of its values. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

/** A request but for its address; `signal` ends it, with the error of the signal. */
export interface Outgoing {
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A connection on which nothing comes for so long is dead. Milliseconds. */
const silenceMsMax = 300_000;

/**
 * What `path` and its query at a server answer, as they are: a URL would go up at `..` in them.
 * The answer once its head has come; its body is still to be read, and fails where the connection
 * is cut. Rejects with an error of the system, or where `signal` says that it is not wanted.
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

/** Without it a `GET` would say nothing of its body. */
function lengthOf(body: string | Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** No answer of a server is longer, a page of bodies neither. Characters. */
const textMax = 256 * 1024 * 1024;

/** The whole body as text; fails where it does not end. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > textMax) throw new Error(`its answer is longer than ${textMax} characters`);
  }
  return text;
}
