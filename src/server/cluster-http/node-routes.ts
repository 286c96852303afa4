/** Requests between nodes, apart from forwarded ones; served only on the port for other nodes. */
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { misdirected } from '../../cluster/forwarding/forwarder.js';
import { jsonAs } from '../../grammar/json.js';
import type { Cluster } from '../cluster/cluster.js';
import { standingSchema } from '../cluster/follower-places.js';
import { standingPath } from '../cluster/standing-reports.js';

/** The path for a copy of this node's folder. */
export const copyPath = '/node/folder';

/** The collaborators of these routes. */
export interface NodeRoutesPorts {
  readonly cluster: Pick<Cluster, 'heard'>;
  /** Answers with the requested part of this node's folder; `seed` is that of the request. */
  giveCopy(seed: string, body: Buffer, response: ServerResponse): Promise<void>;
  readonly log: Logger;
}

/** A request whose signature is already verified. */
export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly seed: string;
}

/** Gets only requests of other nodes themselves; `ClusterListener` ensures that. */
export class NodeRoutes {
  constructor(private readonly ports: NodeRoutesPorts) {}

  /** Answers a request; returns false if it is not a request between nodes. */
  take({ method, path, body, seed }: NodeRequest, response: ServerResponse): boolean {
    if (method === 'PUT' && path === standingPath) this.hear(body, response);
    else if (method === 'PUT' && path === copyPath) this.give(seed, body, response);
    else return false;
    return true;
  }

  private hear(body: Buffer, response: ServerResponse): void {
    const standing = jsonAs(body, standingSchema);
    const isTaken = standing !== null && this.ports.cluster.heard(standing);
    const status = standing === null ? 400 : isTaken ? 204 : misdirected;
    response.writeHead(status, { 'content-length': '0' }).end();
  }

  private give(seed: string, body: Buffer, response: ServerResponse): void {
    this.ports.giveCopy(seed, body, response).catch((error: unknown) => {
      this.ports.log.warn(
        { err: error },
        'sending a copy of the data folder to another node failed',
      );
      response.destroy();
    });
  }
}
