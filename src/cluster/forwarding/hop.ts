/**
 * A request on its way from the node that took it to the owner: signed by the secret that the nodes
 * share, and passed on once at most (ADR 63).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What the receiving node checks before it trusts the sending one. */
export interface Hop {
  /** The credential that the client showed to the node that took the request. */
  readonly principal: string;
  /** Of the request's turn: the same when the request is sent again. */
  readonly seed: string;
}

/** A request as it is signed: `path` with its query, `body` whole. */
export interface HopRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** What a request's headers say of where it comes from. */
export type OpenedHop =
  /** A client sent it. */
  | { readonly kind: 'none' }
  | { readonly kind: 'hop'; readonly hop: Hop }
  | { readonly kind: 'refused'; readonly reason: string };

/** Headers as Node.js gives them: names in lower case. */
export type HopHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const hopHeader = 'stepwell-hop';
const dateHeader = 'stepwell-hop-date';
const principalHeader = 'stepwell-hop-principal';
const seedHeader = 'stepwell-hop-seed';
const signatureHeader = 'stepwell-hop-signature';

/** What the wall clocks of two nodes may differ by, milliseconds. */
const skewMsMax = 30_000;

/** The headers that a node adds when it passes a request on at `now`, Unix milliseconds. */
export function signHop(
  secret: string,
  request: HopRequest,
  { principal, seed }: Hop,
  now: number,
): Record<string, string> {
  const date = String(Math.floor(now));
  const named = { principal: encodeURIComponent(principal), seed: encodeURIComponent(seed) };
  return {
    [hopHeader]: '1',
    [dateHeader]: date,
    [principalHeader]: named.principal,
    [seedHeader]: named.seed,
    [signatureHeader]: signature(secret, request, [date, named.principal, named.seed]),
  };
}

/** Whether a client sends headers that only nodes may send. */
export function isHop(headers: HopHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith(hopHeader));
}

/** What a request is that came with these headers at `now`, Unix milliseconds. */
export function openHop(
  secret: string,
  request: HopRequest,
  headers: HopHeaders,
  now: number,
): OpenedHop {
  if (!isHop(headers)) return { kind: 'none' };
  if (headers[hopHeader] !== '1') return refused('a request is passed on once at most');
  const [date, principal, seed, given] = [
    dateHeader,
    principalHeader,
    seedHeader,
    signatureHeader,
  ].map((name) => headers[name]);
  if (
    typeof date !== 'string' ||
    typeof principal !== 'string' ||
    typeof seed !== 'string' ||
    typeof given !== 'string'
  ) {
    return refused('a header of the hop is missing, or there more than once');
  }
  const expected = Buffer.from(signature(secret, request, [date, principal, seed]));
  const shown = Buffer.from(given);
  if (expected.length !== shown.length || !timingSafeEqual(expected, shown)) {
    return refused('the signature is not that of the shared secret');
  }
  if (!(Math.abs(now - Number(date)) <= skewMsMax)) {
    return refused(`the clocks of the nodes differ by more than ${skewMsMax / 1000} s`);
  }
  const hop = { principal: decodeURIComponent(principal), seed: decodeURIComponent(seed) };
  return { kind: 'hop', hop };
}

function refused(reason: string): OpenedHop {
  return { kind: 'refused', reason };
}

/** No field holds a line break: each is a token of HTTP, a number, or percent-encoded. */
function signature(secret: string, request: HopRequest, named: readonly string[]): string {
  const { method, path, body } = request;
  const digest = createHash('sha256').update(body).digest('hex');
  const signed = ['stepwell-hop 1', method, path, ...named, digest].join('\n');
  return createHmac('sha256', secret).update(signed).digest('hex');
}
