/**
 * The shortest way in: small ordinary requests of express routes are read from their connections,
 * served, and answered without Node's HTTP server, which costs more than most of them (ADR 91).
 */
import type { Socket } from 'node:net';
import { smallBodyBytes } from '../../../http/bytes/in-flight.js';
import type { TabledExpressRoute } from '../../../http/routes/route-table.js';
import { refuseConnection } from '../client-error.js';
import type { Connections, Onwards } from '../connections.js';
import { isOrdinary } from '../express-exchange.js';
import type { LaneContext } from '../express-lane.js';
import { parserOptions, serverTimeouts } from '../inbound-limits.js';
import { type ConnectionOwner, SocketConnection } from './socket-connection.js';
import { type SocketAnswer, SocketExchange } from './socket-exchange.js';
import type { SocketRequest } from './socket-request.js';

/** How often connections are looked at, ms, as Node looks at its own. */
const lookMs = parserOptions.connectionsCheckingInterval;
const idleLooks = serverTimeouts.keepAliveTimeout / lookMs;

export class SocketLane implements ConnectionOwner {
  private readonly open = new Set<SocketConnection>();
  private isLooking = false;

  /** `node`: one of a cluster, of which another may have to answer; null = this server is none. */
  constructor(
    private readonly context: LaneContext,
    private readonly connections: Connections,
    private readonly node: { readonly servesHere: boolean } | null,
  ) {}

  /** Reads a new connection, until `onwards` gives it to Node's server. */
  take(socket: Socket, onwards: Onwards): void {
    this.open.add(new SocketConnection(socket, this, onwards));
    if (!this.isLooking) this.lookLater();
  }

  routeOf(request: SocketRequest): TabledExpressRoute | null {
    const { routes, bodyLimit } = this.context;
    const tabled = routes.expressFor(request.method, request.url);
    if (tabled === undefined || tabled.route.isLong === true) return null;
    if (request.bodyBytes > smallBodyBytes) return null;
    return isOrdinary(request, tabled.route, bodyLimit) ? tabled : null;
  }

  asked(answer: SocketAnswer): void {
    this.connections.requested(answer.req.socket, answer);
  }

  serves(
    answer: SocketAnswer,
    tabled: TabledExpressRoute,
    body: Buffer,
    written: () => void,
  ): boolean {
    const { route } = tabled;
    if (route.isLong === true || this.node?.servesHere === false) return false;
    const caller = this.context.frontDoor.admits(answer.req, tabled.isMessaging);
    if (caller === null) return false;
    const exchange = new SocketExchange(answer, body, caller, tabled, this.context, written);
    try {
      route.serve(exchange);
    } catch (error) {
      exchange.fail(error);
    }
    return true;
  }

  cutOff(socket: Socket): void {
    refuseConnection(new Error('the request has no end'), socket, this.connections);
  }

  left(connection: SocketConnection): void {
    this.open.delete(connection);
  }

  private lookLater(): void {
    this.isLooking = true;
    this.context.clock.after(lookMs, () => {
      for (const each of this.open) each.look(idleLooks);
      this.isLooking = this.open.size > 0;
      if (this.isLooking) this.lookLater();
    });
  }
}
