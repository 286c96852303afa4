/** What a connection and a request head may cost before anybody looks at them. */
import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import type { Refusal } from './error-shapes.js';

/** Decision 19: workflow clients send every user header twice. */
export const headerCountMax = 256;
export const headerBytesMax = 64 * 1024;
export const connectionCountMax = 4096;

/** Timeouts against slow clients, in milliseconds; they end when the request has arrived. */
export const serverTimeouts = {
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  maxRequestsPerSocket: 1_000,
} satisfies FastifyServerOptions;

/** Options of Node's HTTP parser: strict, and with room for the headers allowed above. */
export const parserOptions = {
  headersTimeout: 10_000,
  maxHeaderSize: headerBytesMax,
  insecureHTTPParser: false,
  requireHostHeader: true,
};

const tooManyHeaders: Refusal = {
  status: 431,
  message: `the request has more than ${headerCountMax} headers`,
};
const ambiguousHost: Refusal = {
  status: 400,
  message: 'the request has more than one Host header',
};
const unknownCoding: Refusal = {
  status: 400,
  message: 'the only transfer coding understood is chunked',
};
const foreignForm: Refusal = { status: 400, message: 'the request target is not a path' };

/**
 * What Node's parser lets through and should not: too many headers, two hosts, transfer codings
 * before `chunked`, and targets with a host of their own. Undefined if there is nothing to refuse.
 */
export function judgeHead(request: FastifyRequest): Refusal | undefined {
  const { rawHeaders, headers, url = '' } = request.raw;
  if (rawHeaders.length > 2 * headerCountMax) return tooManyHeaders;
  if (!url.startsWith('/')) return foreignForm;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? ambiguousHost : undefined;
}
