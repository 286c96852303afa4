/**
 * A hop: a request forwarded to the owner by the node that received it. It is signed with the
 * secret that the nodes share, and is forwarded at most once (ADR 63, ADR 79).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The data of a forwarded request, which the receiving node trusts only after it has checked the
 * signature.
 */
export interface Hop {
  /**
   * The IP address of the client that sent the request to the first node; for a request of a node
   * itself, the URL of that node.
   */
  readonly client: string;
  /** The seed of the request's turn; the same when the request is sent again. */
  readonly seed: string;
  /** 1 means that no earlier attempt can have been carried out. */
  readonly attempt: number;
}

/** The signed parts of a request: `path` includes the query, `body` is complete. */
export interface HopRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Where a request comes from, according to its head. */
export type OpenedHop =
  /** A client sent the request. */
  | { readonly kind: 'none' }
  /** A node sent the request, with a body of this digest: see `hasDigest`. */
  | { readonly kind: 'hop'; readonly hop: Hop; readonly digest: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Headers as Node.js gives them: names in lower case. */
export type HopHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Marks a request as forwarded; in an answer 401, gives the reason why the hop was not accepted.
 */
export const hopHeader = 'stepwell-hop';

/** The fields that are signed with the request, in this order. */
const fields = ['date', 'client', 'seed', 'attempt', 'digest'] as const;
const signatureHeader = `${hopHeader}-signature`;

type Fields = Record<(typeof fields)[number], string>;

/** The largest allowed difference between the wall clocks of two nodes, in milliseconds. */
export const skewMsMax = 30_000;

/** The headers that a node adds when it forwards a request at `now`, in Unix milliseconds. */
export function signHop(
  secret: string,
  { method, path, body }: HopRequest,
  { client, seed, attempt }: Hop,
  now: number,
): Record<string, string> {
  const said: Fields = {
    date: String(Math.floor(now)),
    client: encodeURIComponent(client),
    seed: encodeURIComponent(seed),
    attempt: String(attempt),
    digest: digestOf(body),
  };
  const headers: Record<string, string> = { [hopHeader]: '1' };
  for (const field of fields) headers[`${hopHeader}-${field}`] = said[field];
  headers[signatureHeader] = signature(secret, method, path, said);
  return headers;
}

/** Whether the headers include any that only nodes may send. */
export function isHop(headers: HopHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith(hopHeader));
}

/**
 * Classifies a request by its headers, received at `now` (Unix milliseconds). The head alone
 * decides, so that no body from an unknown sender is read.
 */
export function openHop(
  secret: string,
  { method, path }: Omit<HopRequest, 'body'>,
  headers: HopHeaders,
  now: number,
): OpenedHop {
  if (!isHop(headers)) return { kind: 'none' };
  if (headers[hopHeader] !== '1') return refused('a request is passed on once at most');
  const said = fieldsIn(headers);
  const given = headers[signatureHeader];
  if (said === null || typeof given !== 'string') {
    return refused('a header of the hop is missing, or there more than once');
  }
  const expected = Buffer.from(signature(secret, method, path, said));
  const shown = Buffer.from(given);
  if (expected.length !== shown.length || !timingSafeEqual(expected, shown)) {
    return refused('the signature is not that of the shared secret');
  }
  if (!(Math.abs(now - Number(said.date)) <= skewMsMax)) {
    return refused(`the clocks of the nodes differ by more than ${skewMsMax / 1000} s`);
  }
  const hop = {
    client: decodeURIComponent(said.client),
    seed: decodeURIComponent(said.seed),
    attempt: Number(said.attempt),
  };
  return { kind: 'hop', hop, digest: said.digest };
}

/**
 * Whether the request comes from a node itself. Any other request is a client's, with a path and a
 * body of the client's choice: the signature of a node only says that it forwarded the request.
 */
export function isOfNode({ client }: Pick<Hop, 'client'>): boolean {
  return client.includes('://');
}

/** Whether a body is the one that was signed. */
export function hasDigest(body: Buffer, digest: string): boolean {
  return digestOf(body) === digest;
}

function fieldsIn(headers: HopHeaders): Fields | null {
  const said: Partial<Fields> = {};
  for (const field of fields) {
    const value = headers[`${hopHeader}-${field}`];
    if (typeof value !== 'string') return null;
    said[field] = value;
  }
  // The loop has found every field.
  return said as Fields;
}

function refused(reason: string): OpenedHop {
  return { kind: 'refused', reason };
}

function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/**
 * Line breaks can separate the fields: each field is an HTTP token, a number, or percent-encoded,
 * and so holds no line break.
 */
function signature(secret: string, method: string, path: string, said: Fields): string {
  const signed = ['stepwell-hop 1', method, path, ...fields.map((field) => said[field])];
  return createHmac('sha256', secret).update(signed.join('\n')).digest('hex');
}
