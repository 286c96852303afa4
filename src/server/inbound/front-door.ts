/**
 * Judges every request first, synchronously: its head, the state of the server, and its credential.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { Caller } from '../../engine/principal/principal.js';
import { Refusal, type RefusalCode } from '../../grammar/result.js';
import { isMessagingRequest, sendRefusal } from '../../http/error-shapes.js';
import { headerCountMax } from '../../http/head-limits.js';
import type { AuthorizationResult } from '../../http/identity/authorization-result.js';
import type { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { BearerTokens, Confidential } from '../../http/identity/bearer-token.js';
import { type Callers, requestIdHeader } from '../../http/identity/callers.js';
import { isSentByPage, judgeOrigin, sessionChallenge } from '../../http/identity/page-requests.js';
import type { RequestHead } from '../../http/request-head.js';
import { isReading, mayChange } from '../../http/routes/route-description.js';
import type { RouteTable } from '../../http/routes/route-table.js';
import type { InboundConnections } from './connections.js';
import { type ForeignPages, isOfPage } from './foreign-pages.js';

const tooManyConnections: Refusal = new Refusal('unavailable', 'too many connections; try again', {
  'retry-after': '1',
  connection: 'close',
});

const authorizationNeeded: Refusal = new Refusal(
  'unauthorized',
  'unauthorized: an Authorization header is required',
  { 'www-authenticate': 'Bearer' },
);

/**
 * One instance per server, used by both lanes and by Fastify: its verdict does not depend on the
 * path that a request takes.
 */
export class FrontDoor {
  constructor(
    private readonly bearer: BearerTokens,
    private readonly basic: BasicCredentials,
    private readonly life: ProcessLife,
    private readonly connections: InboundConnections,
    private readonly callers: Callers,
    private readonly foreignPages: ForeignPages,
  ) {}

  /** Runs before every route, and before the answer to an unknown path. */
  guard(fastify: FastifyInstance, routes: RouteTable): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const admission = this.isSpare(request.raw)
        ? this.judgeSpare(request, reply)
        : this.judge(request, routes);
      const { principal, refusal } = admission;
      reply.header(requestIdHeader, this.callers.identify(request.raw, principal).requestId);
      if (refusal === undefined) done();
      else sendRefusal(request, reply, askedFor(refusal, request.raw));
    });
  }

  /**
   * The caller of a request for a route of the given interface; null if the request may not pass,
   * for which `guard` answers why.
   */
  admits(request: RequestHead, isMessaging: boolean): Caller | null {
    if (this.life.changesNothing !== null || !this.isSound(request)) return null;
    // What a browser adds by itself depends on the page that requests it, and `guard` judges that.
    const { authorization, cookie } = request.headers;
    if (cookie !== undefined && authorization === undefined) return null;
    if (!isMessaging && isOfPage(request)) return null;
    const { principal, refusal } = this.judgeCaller(request, isMessaging);
    return refusal === undefined ? this.callers.identify(request, principal) : null;
  }

  /** Whether a request shows a credential that this node knows, whatever it permits. */
  knows(request: RequestHead): boolean {
    const isOf = (result: AuthorizationResult) => result.principal !== null;
    return isOf(this.bearer.admit(request)) || isOf(this.basic.admit(request));
  }

  /** Whether the head of a request is sound; if it is not, `guard` answers why. */
  isSound(request: RequestHead): boolean {
    return this.judgeHead(request) === undefined && !this.isSpare(request);
  }

  private judgeHead(request: RequestHead): Refusal | undefined {
    return judgeForm(request) ?? this.foreignPages.judge(request);
  }

  /** Whether a request came on a spare connection, which only serves health checks. */
  private isSpare({ socket }: RequestHead): boolean {
    const { connections } = this;
    return connections.spare.size > 0 && connections.remainsSpare(socket);
  }

  /** A connection beyond the limits gets one answer, to a health check. */
  private judgeSpare(request: FastifyRequest, reply: FastifyReply): AuthorizationResult {
    const unsound = this.judgeHead(request.raw);
    if (unsound !== undefined) return anonymous(unsound);
    if (accessOf(request) !== 'open') return anonymous(tooManyConnections);
    reply.header('connection', 'close');
    return anonymous(undefined);
  }

  private judge(request: FastifyRequest, routes: RouteTable): AuthorizationResult {
    const unsound = this.judgeHead(request.raw);
    if (unsound !== undefined) return anonymous(unsound);
    const { description } = request.routeOptions.config;
    if (description?.access === 'open') return anonymous(undefined);
    if (description?.access === 'path') {
      return anonymous(this.judgeTime() ?? this.judgeChange(request));
    }
    // The 405 answer shows a client which methods exist; a 401 would say that its credential is
    // wrong.
    if (request.is404 && routes.isOpen(request.url)) return anonymous(undefined);
    const isForReaders = request.is404
      ? routes.isForReaders(request.url)
      : description?.isForReaders === true;
    if (isForReaders) return this.judgeReader(request.raw);
    const shows = description?.shows;
    const isMessaging = isMessagingRequest(request);
    const admission =
      description?.isOfNode === true
        ? this.judgeCredential(request.raw, isMessaging, shows)
        : this.judgeCaller(request.raw, isMessaging, shows);
    const { principal, refusal } = admission;
    if (refusal !== undefined) return admission;
    return { principal, refusal: this.judgePage(request) ?? this.judgeChange(request) };
  }

  /** Refuses changes, with the reason, if the server may not change anything. */
  private judgeChange(request: FastifyRequest): Refusal | undefined {
    const reason = this.life.changesNothing;
    return reason !== null && changes(request) ? unchanging(reason) : undefined;
  }

  /**
   * Refuses a request that a page of another origin makes a browser send, unless it only reads.
   * Backups and handovers count as changes here, although a read-only server may perform them, as
   * they change no data.
   */
  private judgePage(request: FastifyRequest): Refusal | undefined {
    if (isReading(request.method) && !changes(request)) return undefined;
    const isBySession = this.bearer.session(request.raw) !== undefined;
    return isBySession ? judgeOrigin(request.raw) : this.foreignPages.judgeChange(request.raw);
  }

  private judgeCaller(
    request: RequestHead,
    isMessaging: boolean,
    shows?: Confidential,
  ): AuthorizationResult {
    const early = this.judgeTime();
    if (early !== undefined) return anonymous(early);
    return this.judgeCredential(request, isMessaging, shows);
  }

  private judgeCredential(
    request: RequestHead,
    isMessaging: boolean,
    shows?: Confidential,
  ): AuthorizationResult {
    return isMessaging ? this.bearer.admit(request, shows) : this.basic.admit(request, shows);
  }

  /**
   * For routes open to every reader, any known credential passes: what it permits is checked for
   * what the request asks for, not here.
   */
  private judgeReader(request: RequestHead): AuthorizationResult {
    const early = this.judgeTime();
    if (early !== undefined) return anonymous(early);
    // Browsers send cookies for any page, and URLs are kept in logs, so neither is accepted here.
    if (request.headers.authorization === undefined) return anonymous(authorizationNeeded);
    const ofMessages = this.bearer.admit(request);
    const { principal } = ofMessages.principal === null ? this.basic.admit(request) : ofMessages;
    return principal === null ? ofMessages : { principal, refusal: undefined };
  }

  private judgeTime(): Refusal | undefined {
    const reason = this.life.notServing;
    return reason === null ? undefined : notServing(reason);
  }
}

const accessOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.description?.access;

function changes({ method, routeOptions }: FastifyRequest): boolean {
  return mayChange(method, routeOptions.config.description ?? null);
}

/** Pages of the console get no challenge that would make the browser show a login dialog. */
function askedFor(refusal: Refusal, request: RequestHead): Refusal {
  if (refusal.code !== 'unauthorized' || !isSentByPage(request)) return refusal;
  return new Refusal(refusal.code, refusal.message, sessionChallenge);
}

/** Clients should not retry soon, as a read-only state does not end by itself. */
function unchanging(reason: string): Refusal {
  return new Refusal('unavailable', `read only: ${reason}`, { 'retry-after': '60' });
}

/** For requests whose caller does not matter. */
function anonymous(refusal: Refusal | undefined): AuthorizationResult {
  return { principal: null, refusal };
}

function notServing(reason: string): Refusal {
  return new Refusal('unavailable', `not serving: ${reason}`, {
    'retry-after': '1',
    connection: 'close',
  });
}

/**
 * Refuses what Node's parser accepts but should not: too many headers, a missing or repeated host,
 * transfer codings before `chunked`, and targets that contain a host. Undefined if the head is
 * sound. A refusal closes the connection, as the framing of the bytes that follow is unknown.
 */
function judgeForm(request: RequestHead): Refusal | undefined {
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
