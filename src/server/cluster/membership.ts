/** What the rest of the server knows about this node of a cluster (ADR 69). */

/**
 * `follower`: another node serves, or none does. `taking`: this node has the log but does not serve
 * yet. `owner`: this node serves.
 */
export type ClusterRole = 'follower' | 'taking' | 'owner';

/** What the owner knows of another node. */
export interface FollowerStatus {
  /** The address at which other nodes reach it. */
  readonly node: string;
  /** How many entries of the shared log its folder lacked when it last reported. */
  readonly behind: number;
  /** How long ago it reported, in ms. A node reports every 5 s. */
  readonly heardMsAgo: number;
  /** The version of its program; null if an earlier owner noted the node, or it does not say. */
  readonly version: string | null;
}

/** The status of a node. */
export interface ClusterStatus {
  /** The address at which other nodes reach this one. */
  readonly node: string;
  /** The version of this node's program: nodes are upgraded one after the other. */
  readonly version: string;
  readonly role: ClusterRole;
  /** The epoch of the owner, counted from 1; 0 before the first one. */
  readonly epoch: number;
  /** The address of the owner; null while none is known. */
  readonly owner: string | null;
  /** The place in the shared log up to which this node has read. */
  readonly place: number;
  /** The last batch that counts in the shared log. */
  readonly sequence: number;
  /** The last batch that this node's folder and memory hold. */
  readonly appliedSequence: number;
  /** Time since the owner was heard, or since this node proved that it is the owner; in ms. */
  readonly heardMsAgo: number;
  /** How far this node's clock is ahead of the shared log's; null while unknown. */
  readonly clockSkewMs: number | null;
  /** How long the owner's last append took, in ms; null on a follower. */
  readonly commitMs: number | null;
  /** The followers, ordered by address; null on a follower, as they report to the owner. */
  readonly followers: readonly FollowerStatus[] | null;
}

/** A node of a cluster, as the HTTP side and the operator's commands see it. */
export interface Membership {
  readonly status: ClusterStatus;
  /** Whether this node serves, and can prove that now: check right before accepting a request. */
  readonly mayServe: boolean;
  /** Whether attempts may start at this moment: check right before each. */
  readonly mayAct: boolean;
  /** The address of another node that owns the log; null while none is known. */
  readonly otherOwner: string | null;
  /**
   * Lets another node take over. Attempts in flight end while this node still serves; then it stops
   * serving, and ends the process with exit code 75 once every accepted request is answered.
   * Rejects if this node is not the owner.
   */
  handOver(): Promise<void>;
}

/**
 * How long a stop waits for requests in flight: on a server alone, and on the owner of a shared
 * log.
 */
const requestsMs = { alone: 10_000, owner: 1000 } as const;

/**
 * How long a stop waits now for requests in flight, in ms. An owner waits less: the requests of all
 * nodes wait until it has given up the shared log (ADR 120).
 */
export function requestsDeadlineMs(membership: Membership | null): number {
  return membership?.mayServe === true ? requestsMs.owner : requestsMs.alone;
}
