/**
 * The second port of a node, for other nodes: the requests that they forward are handled as on the
 * public port, provided that this node is the owner (ADR 79).
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Logger } from 'pino';
import { misdirected } from '../../cluster/forwarding/forwarder.js';
import { type Hop, hasDigest, hopHeader, isOfNode, openHop } from '../../cluster/forwarding/hop.js';
import type { Clock } from '../../engine/clock.js';
import { Refusal } from '../../grammar/result.js';
import { readAhead } from '../../http/bytes/body-read-ahead.js';
import type { Callers } from '../../http/identity/callers.js';
import type { Membership } from '../cluster/membership.js';
import type { InboundConnections } from '../inbound/connections.js';
import * as limits from '../inbound/inbound-limits.js';
import type { NodeRoutes } from './node-routes.js';
import { sendRefusalTo } from './own-answers.js';
import type { RepeatedRequests } from './repeated-requests.js';

/** The collaborators of the listener. */
export interface ClusterListenerPorts {
  readonly secret: string;
  readonly membership: Pick<Membership, 'mayServe'>;
  /** Whether the application serves what this node may answer. */
  readonly isServing: () => boolean;
  readonly repeated: RepeatedRequests;
  /** Handles requests between nodes; null = none are handled. */
  readonly nodeRoutes: NodeRoutes | null;
  readonly callers: Callers;
  readonly connections: InboundConnections;
  readonly clock: Clock;
  readonly log: Logger;
  /** The largest body of any route, in bytes. */
  readonly bodyBytesMax: number;
  /** Serves a request on this node. */
  readonly serve: RequestListener;
}

/**
 * How many connections may be open: each carries, or carried, a request of a client that has its
 * place at another node.
 */
const connectionsMax = 8192;

const broken = 'the body is not the one that was signed';

/**
 * One instance per node. It only processes requests signed with the cluster's secret; others are
 * answered 401.
 */
export class ClusterListener {
  readonly server: Server;

  constructor(private readonly ports: ClusterListenerPorts) {
    const { serverTimeouts, parserOptions } = limits;
    this.server = createServer({ ...serverTimeouts, ...parserOptions }, (request, response) => {
      this.take(request, response).catch((error: unknown) => {
        ports.log.error({ err: error }, 'a request from another node failed');
        response.destroy();
      });
    });
    this.server.maxConnections = connectionsMax;
    this.server.maxHeadersCount = 0;
    ports.connections.followPeers(this.server);
  }

  /** Rejects with the system's error if the port is not available. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        this.server.on('error', (err) => {
          this.ports.log.warn({ err }, 'a connection from another node was not accepted');
        });
        resolve();
      });
    });
  }

  /** Stops accepting requests and waits for those in flight. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.ports.connections.drainPeers();
    await closed;
  }

  /** Cuts the requests in flight. */
  cut(): void {
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { secret, membership, isServing, clock, callers, bodyBytesMax } = this.ports;
    const { method = '', url: path = '', headers } = request;
    const opened = openHop(secret, { method, path }, headers, clock.now());
    if (opened.kind !== 'hop') {
      return refuseHop(response, opened.kind === 'none' ? 'it is not signed' : opened.reason);
    }
    const body = await readAhead(request, { bytesMax: bodyBytesMax });
    if (body === null) return;
    if (body instanceof Refusal) {
      return sendRefusalTo(request, response, body, callers.idOf(request));
    }
    if (!hasDigest(body, opened.digest)) return refuseHop(response, broken);
    const { hop } = opened;
    const asked = { method, path, body, seed: hop.seed };
    if (isOfNode(hop) && this.ports.nodeRoutes?.take(asked, response) === true) return;
    // Nothing is awaited between this and the turn that it permits.
    if (!membership.mayServe || !isServing()) {
      response.writeHead(misdirected, { 'content-length': '0' }).end();
      return;
    }
    await this.serve(request, response, hop);
  }

  private serve(request: IncomingMessage, response: ServerResponse, hop: Hop): Promise<void> {
    const { repeated, serve } = this.ports;
    return repeated.take(request, response, hop, serve);
  }
}

/** The sender learns the reason, which contains nothing secret. */
function refuseHop(response: ServerResponse, reason: string): void {
  const headers = { [hopHeader]: reason, 'content-length': '0', connection: 'close' };
  response.writeHead(401, headers).end();
}
