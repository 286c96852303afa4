/**
 * What the whole application shares. It is created before Nest, since the front door needs it too.
 */
import type { Registry } from 'prom-client';
import type { ProcessLife } from '../engine/lifecycle/process-life.js';
import type { BasicCredentials } from '../http/identity/basic-auth.js';
import type { BearerTokens } from '../http/identity/bearer-token.js';
import type { InboundMetrics } from '../http/inbound.metrics.js';
import type { Tracer } from '../messaging/tracing/span.js';
import type { Cluster } from './cluster/cluster.js';
import type { Membership } from './cluster/membership.js';
import type { Config } from './configuration/config.js';
import type { Credentials } from './credentials/credentials.js';
import type { OpenPast } from './past/past-server.js';
import type { Ports } from './ports.js';

/**
 * Created by `application.ts` for a present server, and by `past-application.ts` for a past one.
 */
export interface Shared {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly ports: Ports;
  readonly life: ProcessLife;
  /** Every metric of the process. */
  readonly registry: Registry;
  /** The metrics of requests and connections. */
  readonly inbound: InboundMetrics;
  /** Where spans are sent; null = nowhere. */
  readonly tracer: Tracer | null;
  readonly bearer: BearerTokens;
  readonly basic: BasicCredentials;
  /** Opens the server as it was; null in a server that already shows the past. */
  readonly openPast: OpenPast | null;
  /** The cluster that this server is a node of; null if there is none. */
  readonly cluster: Cluster | null;
  /** The same cluster as the HTTP side sees it. */
  readonly membership: Membership | null;
}
