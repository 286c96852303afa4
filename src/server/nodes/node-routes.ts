/** What nodes ask of each other, beside what they pass on: only over the port for other nodes. */
import type { ServerResponse } from 'node:http';
import { misdirected } from '../../cluster/forwarding/forwarder.js';
import { parseJson } from '../../grammar/json.js';
import type { Cluster } from '../cluster/cluster.js';
import { standingSchema } from '../cluster/standbys.js';
import { standingPath } from '../cluster/standing-reports.js';

export class NodeRoutes {
  constructor(private readonly cluster: Pick<Cluster, 'heard'>) {}

  /** Answers a request whose signature was judged; false = it is no request of this kind. */
  take(method: string, path: string, body: Buffer, response: ServerResponse): boolean {
    if (method !== 'PUT' || path !== standingPath) return false;
    const json = parseJson(body);
    const standing = standingSchema.safeParse(json.ok ? json.value : null);
    const isTaken = standing.success && this.cluster.heard(standing.data);
    const status = !standing.success ? 400 : isTaken ? 204 : misdirected;
    response.writeHead(status, { 'content-length': '0' }).end();
    return true;
  }
}
