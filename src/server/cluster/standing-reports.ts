/** Regularly reports this node's place to the owner, which keeps what this node still needs. */
import { type CallingNode, callNode } from '../../cluster/forwarding/node-call.js';
import type { Clock } from '../../engine/clock.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import type { NodeStanding } from './follower-places.js';

/** The path on the port for other nodes. */
export const standingPath = '/node/standing';

const everyMs = 5000;
const withinMs = 2000;

/** Where a node gets its reports from. */
export interface ReportPorts {
  /** The address of the owner; null while none is known, or if it is this node. */
  owner(): string | null;
  /** What this node reports; null if it has nothing to report yet. */
  standing(): NodeStanding | null;
}

/**
 * Reports every 5 s; a follower does, an owner does not. If a report gets lost, the next one makes
 * up for it.
 */
export function standingReports(
  caller: CallingNode,
  clock: Clock,
  ports: ReportPorts,
): RepeatedWork {
  return new RepeatedWork(clock, everyMs, async () => {
    const origin = ports.owner();
    const standing = ports.standing();
    if (origin === null || standing === null) return;
    const body = Buffer.from(JSON.stringify(standing));
    const answer = await callNode(caller, { origin, path: standingPath, body, withinMs });
    await answer.body.dump();
  });
}
