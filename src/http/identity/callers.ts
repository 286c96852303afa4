/** Who makes a request, where it comes from, and its id, as the front door finds out (ADR 39). */
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

/** The header that brings the id of a request, and answers it. */
export const requestIdHeader = 'x-request-id';

/** What a client may choose as the id of its request: it is stored with each event. */
const sentId = /^[\w.:/+=@-]{1,64}$/;

/** What a request brings that another node passed on, or that waited for an owner (ADR 79). */
interface PassedOn {
  /** The address of its client, as the node says that took it; null = that of its connection. */
  readonly client: string | null;
  readonly seed: RequestSeed;
}

const idOfRequest = Symbol('request id');
const callerOfRequest = Symbol('caller');
const passedOn = Symbol('passed on');

/** A request, and what the front door has noted of it. */
interface IdentifiedRequest extends RequestHead {
  [idOfRequest]?: string;
  [callerOfRequest]?: Caller;
  [passedOn]?: PassedOn;
}

/** One for the server. Ids of requests are those that answers and log lines carry. */
export class Callers {
  /** What the ids of this process begin with. */
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

  /** The id of a request: the one that it brings, or a new one; always the same. */
  idOf(request: IdentifiedRequest): string {
    const known = request[idOfRequest];
    if (known !== undefined) return known;
    const id = idIn(request) ?? this.newId();
    request[idOfRequest] = id;
    return id;
  }

  /** Remembers who makes a request: with the credential of this name, or with none. */
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

  /** The nearest address that is no trusted proxy; a malformed one is ignored. */
  addressOf(request: IdentifiedRequest): string {
    // The node that took the request has looked at the proxies before it.
    const client = request[passedOn]?.client;
    if (client != null) return client;
    const { remoteAddress = '' } = request.socket;
    if (this.isProxy === null) return plain(remoteAddress);
    // It reads the head and the address of the connection, and nothing else.
    const address = proxyAddress(request as IncomingMessage, this.isProxy);
    return plain(ipaddr.isValid(address) ? address : remoteAddress);
  }
}

function idIn({ headers }: RequestHead): string | undefined {
  const { [requestIdHeader]: sent, traceparent: trace } = headers;
  if (typeof sent === 'string' && sentId.test(sent)) return sent;
  return typeof trace === 'string' ? parseTraceparent(trace)?.traceId : undefined;
}

/** An IPv4 address that came by IPv6, as itself. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** Remembers what a request brings; before it is served. */
export function markPassedOn(request: IdentifiedRequest, from: PassedOn): void {
  request[passedOn] = from;
}

/** The address that a request came from, whichever node took it; a proxy's, where there is one. */
export function peerAddressOf(request: IdentifiedRequest): string {
  const client = request[passedOn]?.client;
  return client ?? request.socket.remoteAddress ?? '';
}

/** Who makes a request; undefined where it has not passed the front door. */
export function knownCallerOf(request: IdentifiedRequest): Caller | undefined {
  return request[callerOfRequest];
}

/** Who makes a request that has passed the front door. */
export function callerOf(request: IdentifiedRequest): Caller {
  const caller = knownCallerOf(request);
  if (caller === undefined) throw new Error('the request has not passed the front door');
  return caller;
}

/** A parameter of a controller's method: who makes the request. */
export const By = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  return callerOf(context.switchToHttp().getRequest<FastifyRequest>().raw);
});
