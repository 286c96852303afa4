/** Finds out at the front door who makes a request, where it comes from, and its id (ADR 39). */
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Caller } from '../../engine/principal/principal.js';
import type { RequestSeed } from '../../engine/principal/request-seed.js';
import { parseTraceparent } from '../../grammar/trace-context.js';
import type { RequestHead } from '../request-head.js';
import { clientHeader, type SeenClients } from './seen-clients.js';

/** The header with the id of a request, which is also sent in the answer. */
export const requestIdHeader = 'x-request-id';

/** The ids that clients may choose for requests: they are stored with each event. */
const sentId = /^[\w.:/+=@-]{1,64}$/;

/** What accompanies a request that another node forwarded, or that waited for an owner (ADR 79). */
interface PassedOn {
  /** Address of its client, as the receiving node reported it; null = that of the connection. */
  readonly client: string | null;
  readonly seed: RequestSeed;
}

const idOfRequest = Symbol('request id');
const callerOfRequest = Symbol('caller');
const passedOn = Symbol('passed on');

/** A request, with what the front door recorded about it. */
interface IdentifiedRequest extends RequestHead {
  [idOfRequest]?: string;
  [callerOfRequest]?: Caller;
  [passedOn]?: PassedOn;
}

/** One instance per server. Ids of requests are those that answers and log lines show. */
export class Callers {
  /** The beginning of the ids of this process. */
  private readonly prefix: string;
  private made = 0;
  private readonly isProxy: ((address: string, index: number) => boolean) | null;

  /** `trustedProxies` are CIDRs of proxies whose `X-Forwarded-For` is trusted. */
  constructor(
    trustedProxies: readonly string[],
    identifiers: Identifiers,
    private readonly seen: SeenClients,
  ) {
    this.prefix = identifiers.randomBytes(4).toString('hex');
    this.isProxy = trustedProxies.length === 0 ? null : proxyAddress.compile([...trustedProxies]);
  }

  /** The id of a request: the one that it brings, or a new one; always the same for one request. */
  idOf(request: IdentifiedRequest): string {
    const known = request[idOfRequest];
    if (known !== undefined) return known;
    const id = idIn(request) ?? this.newId();
    request[idOfRequest] = id;
    return id;
  }

  /** Records who makes a request: the credential of this name, or none. */
  identify(request: IdentifiedRequest, principal: string | null): Caller {
    const client = request.headers[clientHeader];
    if (principal !== null && client !== undefined) this.seen.count(String(client));
    const seed = request[passedOn]?.seed ?? null;
    const caller = new Caller(principal, this.addressOf(request), this.idOf(request), seed);
    request[callerOfRequest] = caller;
    return caller;
  }

  private newId(): string {
    this.made += 1;
    return `${this.prefix}-${this.made.toString(36)}`;
  }

  /** The nearest address that is not a trusted proxy; a malformed one is ignored. */
  addressOf(request: IdentifiedRequest): string {
    // The node that received the request has already examined the proxies before it.
    const client = request[passedOn]?.client;
    if (client != null) return client;
    const { remoteAddress = '' } = request.socket;
    if (this.isProxy === null) return plain(remoteAddress);
    // The cast is safe: only the head and the address of the connection are read.
    const address = proxyAddress(request as IncomingMessage, this.isProxy);
    return plain(ipaddr.isValid(address) ? address : remoteAddress);
  }
}

function idIn({ headers }: RequestHead): string | undefined {
  const { [requestIdHeader]: sent, traceparent: trace } = headers;
  if (typeof sent === 'string' && sentId.test(sent)) return sent;
  return typeof trace === 'string' ? parseTraceparent(trace)?.traceId : undefined;
}

/** Turns an IPv4 address mapped to IPv6 back into IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** Records what accompanies a request; must be called before it is served. */
export function markPassedOn(request: IdentifiedRequest, from: PassedOn): void {
  request[passedOn] = from;
}

/** The address that a request came from, whichever node received it; possibly that of a proxy. */
export function peerAddressOf(request: IdentifiedRequest): string {
  const client = request[passedOn]?.client;
  return client ?? request.socket.remoteAddress ?? '';
}

/** The caller of a request; undefined if it has not passed the front door. */
export function knownCallerOf(request: IdentifiedRequest): Caller | undefined {
  return request[callerOfRequest];
}

/** The caller of a request that has passed the front door. */
export function callerOf(request: IdentifiedRequest): Caller {
  const caller = knownCallerOf(request);
  if (caller === undefined) throw new Error('the request has not passed the front door');
  return caller;
}

/** Injects the caller of the request into a parameter of a controller method. */
export const By = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  return callerOf(context.switchToHttp().getRequest<FastifyRequest>().raw);
});
