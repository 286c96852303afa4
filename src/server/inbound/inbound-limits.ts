/** What a connection and a request head may cost before anybody looks at them. */
import type { IncomingMessage } from 'node:http';
import type { FastifyServerOptions } from 'fastify';
import { Refusal, type RefusalCode } from '../../grammar/result.js';
import { headerBytesMax, headerCountMax } from '../../http/head-limits.js';

/** Timeouts against slow clients, in milliseconds; they end when the request has arrived. */
export const serverTimeouts = {
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
} satisfies FastifyServerOptions;

/** Options of Node's HTTP parser: strict, and with room for the headers allowed above. */
export const parserOptions = {
  headersTimeout: 10_000,
  /** How often the two timeouts are looked after: a silent client is gone within 12 s. */
  connectionsCheckingInterval: 500,
  maxHeaderSize: headerBytesMax,
  insecureHTTPParser: false,
  // Node's own answer to a missing host has no body; `judgeHead` gives one.
  requireHostHeader: false,
};

/**
 * What Node's parser lets through and should not: too many headers, a host missing or repeated,
 * transfer codings before `chunked`, and targets with a host of their own. Undefined if the head
 * is sound. A refusal closes: nothing says how the bytes that follow are framed.
 */
export function judgeHead(request: IncomingMessage): Refusal | undefined {
  const { rawHeaders, headers, url = '', httpVersionMinor } = request;
  if (rawHeaders.length > 2 * headerCountMax) {
    return unsound('head_too_large', `the request has more than ${headerCountMax} headers`);
  }
  if (!url.startsWith('/')) return unsound('invalid', 'the request target is not a path');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return unsound('invalid', 'the only transfer coding understood is chunked');
  }
  const hosts = countHosts(rawHeaders);
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined;
  return unsound('invalid', `the request has ${hosts === 0 ? 'no' : 'more than one'} Host header`);
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function unsound(code: RefusalCode, message: string): Refusal {
  return new Refusal(code, message, { connection: 'close' });
}
