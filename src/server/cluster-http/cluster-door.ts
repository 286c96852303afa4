/**
 * Runs before everything else on the public port of a node: requests that the node may not answer
 * itself are forwarded to the owner of the log, and wait while there is none (ADR 79).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import { type Forwarded, type Forwarder, headerPairs } from '../../cluster/forwarding/forwarder.js';
import { isHop } from '../../cluster/forwarding/hop.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { withoutHopHeaders } from '../../grammar/headers.js';
import { Refusal } from '../../grammar/result.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { readAhead } from '../../http/bytes/body-read-ahead.js';
import type { InFlight } from '../../http/bytes/in-flight.js';
import { type Callers, requestIdHeader } from '../../http/identity/callers.js';
import { mayChange } from '../../http/routes/route-description.js';
import type { RouteTable } from '../../http/routes/route-table.js';
import type { Membership } from '../cluster/membership.js';
import { putInFront } from '../inbound/express-lane.js';
import type { FrontDoor } from '../inbound/front-door.js';
import type { ClusterMetrics } from './cluster.metrics.js';
import { sendRefusalTo } from './own-answers.js';
import { firstMessageId, type RepeatedRequests } from './repeated-requests.js';

/** The collaborators of the door. */
export interface ClusterDoorPorts {
  readonly membership: Pick<Membership, 'mayServe'>;
  /** Whether the application has recovered, and so serves what this node may answer. */
  readonly isServing: () => boolean;
  readonly forwarder: Forwarder;
  readonly repeated: RepeatedRequests;
  readonly routes: Pick<RouteTable, 'descriptionOf'>;
  readonly frontDoor: FrontDoor;
  readonly callers: Callers;
  readonly inFlight: InFlight;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ClusterMetrics;
  /** The largest body of any route, in bytes. */
  readonly bodyBytesMax: number;
}

/** How often at most the log reports that the owner refuses what this node forwards. */
const warnAgainMs = 60_000;

const stranger: Refusal = new Refusal(
  'invalid',
  'headers Stepwell-Hop... are reserved for cluster nodes',
  {
    connection: 'close',
  },
);

const again = { 'retry-after': '2' };
const nothingDone = 'no node is serving now; nothing was done: try again';
const outcomeUnknown =
  'the node that serves has not answered: this request may or may not have been carried out';
const notBelieved =
  'the node that serves refuses requests forwarded by this node; its log says why';

/** One instance per node. On the owner, a request passes after a single check of the role. */
export class ClusterDoor {
  /** All request listeners behind the door. */
  private listeners: RequestListener = () => undefined;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ports: ClusterDoorPorts) {}

  /**
   * Puts the door in front of all request listeners of `server`; the returned listener serves a
   * request on this node.
   */
  guard(server: Server): RequestListener {
    this.listeners = putInFront(server, (request, response) => this.tryServe(request, response));
    return this.listeners;
  }

  private tryServe(request: IncomingMessage, response: ServerResponse): boolean {
    const { membership, isServing, frontDoor, callers } = this.ports;
    const { method = '', url = '', headers } = request;
    if (headers['stepwell-hop'] === undefined && membership.mayServe && isServing()) return false;
    // Unsound requests are refused as on any server.
    if (!frontDoor.isSound(request)) return false;
    if (isHop(headers)) {
      sendRefusalTo(request, response, stranger, callers.idOf(request));
      return true;
    }
    const description = this.ports.routes.descriptionOf(method, url);
    if (description?.access === 'open' || description?.isOfNode === true) return false;
    this.pass(request, response).catch((error: unknown) => {
      this.ports.log.error({ err: error }, 'a request could not be forwarded');
      response.destroy();
    });
    return true;
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { callers, forwarder, identifiers, clock, bodyBytesMax } = this.ports;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const body = await readAhead(request, {
      bytesMax: bodyBytesMax,
      allowance: () => this.allowanceOf(request, response),
    });
    if (body === null) return;
    const requestId = callers.idOf(request);
    if (body instanceof Refusal) {
      sendRefusalTo(request, response, body, requestId);
      return;
    }
    const seed = identifiers.turnSeed(clock.now());
    const forwarded = await forwarder.forward(
      {
        // Node's parser only lets through the methods that undici can send.
        method: (request.method ?? '') as Dispatcher.HttpMethod,
        path: request.url ?? '',
        headers: headersOf(request, requestId),
        body,
        client: callers.addressOf(request),
        seed,
        isRepeatable: this.isRepeatable(request),
      },
      gone.signal,
    );
    this.answer(request, response, seed, forwarded);
  }

  /**
   * The owner judges the credential, but not before it has the body: those that this node does not
   * know share one allowance, or strangers without a body could keep all others waiting.
   */
  private allowanceOf(request: IncomingMessage, response: ServerResponse): Allowance {
    const { frontDoor, inFlight } = this.ports;
    const kind = frontDoor.knows(request) ? 'credential' : 'strangers';
    return inFlight.allowanceOf(request, response, kind);
  }

  private isRepeatable({ method = '', url = '', headers }: IncomingMessage): boolean {
    const description = this.ports.routes.descriptionOf(method, url);
    if (!mayChange(method, description)) return true;
    if (description?.repeats === 'key') return headers['idempotency-key'] !== undefined;
    return description?.repeats === 'seed';
  }

  private answer(
    request: IncomingMessage,
    response: ServerResponse,
    seed: string,
    forwarded: Forwarded,
  ): void {
    this.ports.metrics.ended(forwarded.kind);
    const refuse = (message: string, headers: Readonly<Record<string, string>> = again) => {
      const refusal = new Refusal('unavailable', message, headers);
      sendRefusalTo(request, response, refusal, this.ports.callers.idOf(request));
    };
    const { kind } = forwarded;
    if (kind === 'answered') pipe(forwarded.answer, response);
    else if (kind === 'here') this.serveHere(request, response, seed, forwarded.attempt);
    else if (kind === 'unavailable') refuse(nothingDone);
    else if (kind === 'gone') response.destroy();
    else if (kind === 'refused') {
      this.warn(forwarded.reason);
      refuse(notBelieved);
    } else refuse(outcomeUnknown, { ...again, 'stepwell-message-id': firstMessageId(seed) });
  }

  /** This node has become the owner while it was holding the request. */
  private serveHere(
    request: IncomingMessage,
    response: ServerResponse,
    seed: string,
    attempt: number,
  ): void {
    const { repeated, log } = this.ports;
    if (response.closed) return;
    const arrival = { client: null, seed, attempt };
    repeated.take(request, response, arrival, this.listeners).catch((error: unknown) => {
      log.error({ err: error }, 'a repeated request could not be checked');
      response.destroy();
    });
  }

  private warn(reason: string): void {
    const { clock, log } = this.ports;
    if (clock.monotonic() - this.warnedAt < warnAgainMs) return;
    this.warnedAt = clock.monotonic();
    log.error({ reason }, 'the owner refuses requests that this node forwards');
  }
}

/**
 * The headers to forward: all except those of the connection itself, with the id that the nodes use
 * for the request.
 */
function headersOf({ rawHeaders, headers }: IncomingMessage, requestId: string): string[] {
  const kept = withoutHopHeaders(rawHeaders);
  const sent: string[] = [requestIdHeader, requestId];
  for (let index = 0; index + 1 < kept.length; index += 2) {
    const name = kept[index] ?? '';
    if (name.toLowerCase() !== requestIdHeader) sent.push(name, kept[index + 1] ?? '');
  }
  // These headers are meant for the server itself, which is the owner.
  for (const name of ['host', 'accept-encoding'] as const) {
    const value = headers[name];
    if (typeof value === 'string') sent.push(name, value);
  }
  return sent;
}

const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'proxy-connection',
  'upgrade',
]);

/**
 * Passes an answer on as it arrives; an answer that breaks off ends the connection, as it would on
 * the owner.
 */
function pipe(answer: Dispatcher.ResponseData, response: ServerResponse): void {
  const { statusCode, body } = answer;
  if (response.destroyed) {
    body.destroy();
    return;
  }
  const pairs = headerPairs(answer);
  const kept: string[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    if (!ofConnection.has(name.toLowerCase())) kept.push(name, pairs[index + 1] ?? '');
  }
  response.writeHead(statusCode, kept);
  // The reader of a stream waits for the head, which comes long before the first event.
  response.flushHeaders();
  body.once('end', () => {
    if (Object.keys(answer.trailers).length > 0) response.addTrailers(answer.trailers);
  });
  pipeline(body, response, () => undefined);
}
