/**
 * Makes a server act as a cluster node: the door in front of its public port, and the port for
 * other nodes.
 */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { Forwarder } from '../../cluster/forwarding/forwarder.js';
import { ownershipTimes } from '../../cluster/rules.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { Journal } from '../../engine/journal.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { InFlight } from '../../http/bytes/in-flight.js';
import type { Callers } from '../../http/identity/callers.js';
import type { RouteTable } from '../../http/routes/route-table.js';
import { type Membership, requestsDeadlineMs } from '../cluster/membership.js';
import type { Config } from '../configuration/config.js';
import type { InboundConnections } from '../inbound/connections.js';
import type { FrontDoor } from '../inbound/front-door.js';
import { type ListenSettings, listenError } from '../lifecycle/listen-error.js';
import type { ClusterMetrics } from './cluster.metrics.js';
import { ClusterDoor } from './cluster-door.js';
import { ClusterListener } from './cluster-listener.js';
import type { NodeRoutes } from './node-routes.js';
import { RepeatedRequests } from './repeated-requests.js';

const listenSettings: ListenSettings = {
  hostVariable: 'STEPWELL_CLUSTER_LISTEN',
  portVariable: 'STEPWELL_CLUSTER_LISTEN',
  advice: 'name a free one in STEPWELL_CLUSTER_LISTEN',
};

/** What exists before the application is built. */
export interface ClusterSidePorts {
  readonly membership: Membership;
  readonly config: Config;
  readonly ports: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly identifiers: Identifiers;
  };
  readonly life: ProcessLife;
  readonly metrics: ClusterMetrics;
  readonly connections: InboundConnections;
  readonly callers: Callers;
  readonly frontDoor: FrontDoor;
  readonly inFlight: InFlight;
  readonly routes: RouteTable;
}

/** The parts of the built application. */
export interface ClusterSideParts {
  /** The public server. */
  readonly server: Server;
  readonly journal: Journal;
  /** Answers requests between nodes; null if nothing does. */
  readonly nodeRoutes: NodeRoutes | null;
  /** Settles when everything decided so far is durable. */
  readonly durable: () => Promise<void>;
  /** The value of `Stepwell-Durability`. */
  readonly durability: string;
}

/** How long after a stop begins forwarded requests may still be answered. */
const passedOnMs = 2000;

/** One instance per node, created by the HTTP server if there is a cluster. */
export class ClusterSide {
  private listener: ClusterListener | null = null;
  private hasRecovered = false;

  /** Created before the application is built, as the port for other nodes opens before recovery. */
  constructor(private readonly given: ClusterSidePorts) {
    const { life } = given;
    life.addRecoverable({
      name: 'cluster port',
      recover: () => this.listen(),
      served: () => {
        this.hasRecovered = true;
      },
    });
    life.addStoppable({
      name: 'cluster port',
      phase: 'doors',
      get deadlineMs() {
        return requestsDeadlineMs(given.membership);
      },
      stop: () => this.listener?.close(),
      cut: () => this.listener?.cut(),
    });
  }

  /** Puts the door in front of all present request listeners of the public server. */
  guard({ server, journal, nodeRoutes, durable, durability }: ClusterSideParts): void {
    const { given } = this;
    const { membership, config, ports, routes, callers, connections } = given;
    const { clock, log, identifiers } = ports;
    const secret = config.clusterSecret ?? '';
    const bodyBytesMax = Math.max(config.maxBodyBytes, config.maxBatchBytes);
    const isHere = () => this.servesHere;
    const owner = () => membership.otherOwner;
    const overdueMs = () => membership.status.heardMsAgo - ownershipTimes.silenceMs;
    const forwarder = new Forwarder({ secret, clock, owner, isHere, overdueMs });
    given.metrics.watchHeld(() => forwarder.heldBytes);
    routes.beforeClose(() => {
      clock.after(passedOnMs, () => void forwarder.close());
    });
    const repeated = new RepeatedRequests({ routes, callers, journal, durable, clock, durability });
    const shared = { membership, repeated, callers, clock, log, bodyBytesMax };
    const { frontDoor, inFlight, metrics } = given;
    const isServing = () => this.hasRecovered;
    const door = new ClusterDoor({
      isServing,
      forwarder,
      routes,
      frontDoor,
      inFlight,
      identifiers,
      metrics,
      ...shared,
    });
    const serve = door.guard(server);
    const takesMore = () => this.hasRecovered && given.life.status.state !== 'draining';
    this.listener = new ClusterListener({
      secret,
      isServing: takesMore,
      connections,
      nodeRoutes,
      serve,
      ...shared,
    });
  }

  /** Whether this node itself answers the requests of its clients, rather than another node. */
  get servesHere(): boolean {
    return this.given.membership.mayServe && this.hasRecovered;
  }

  private async listen(): Promise<void> {
    const { clusterListen } = this.given.config;
    if (clusterListen === null || this.listener === null) return;
    const { hostname, port } = clusterListen;
    try {
      await this.listener.listen(hostname, port);
    } catch (error) {
      throw listenError({ host: hostname, port }, listenSettings, error);
    }
  }
}
