/** What the rest of the server knows of its node of a cluster (ADR 69). */

/**
 * `follower`: another node serves, or none does. `taking`: the log is this node's, which does not
 * serve yet. `owner`: this node serves.
 */
export type ClusterRole = 'follower' | 'taking' | 'owner';

/** What the owner knows of another node. */
export interface FollowerStatus {
  /** The address at which other nodes reach it. */
  readonly node: string;
  /** Entries of the shared log that its folder did not have when it was heard. */
  readonly behind: number;
  /** Since it said so; milliseconds. A node says it every 5 s. */
  readonly heardMsAgo: number;
  /** Of its program; null = an earlier owner has written the node down, or it does not say. */
  readonly version: string | null;
}

/** How a node stands. */
export interface ClusterStatus {
  /** The address at which other nodes reach this one. */
  readonly node: string;
  /** Of this node's program: nodes are upgraded one after the other. */
  readonly version: string;
  readonly role: ClusterRole;
  /** Of the owner, counted from 1; 0 before the first one. */
  readonly epoch: number;
  /** The address of the owner; null while none is known. */
  readonly owner: string | null;
  /** The place in the shared log up to which this node has read. */
  readonly place: number;
  /** The last batch that counts there. */
  readonly sequence: number;
  /** The last batch that this node's folder and memory hold. */
  readonly appliedSequence: number;
  /** Since the owner was heard, or since this node proved that it is the owner; milliseconds. */
  readonly heardMsAgo: number;
  /** By how much this node's clock is ahead of the shared log's; null while it is not known. */
  readonly clockSkewMs: number | null;
  /** How long the owner's last append took, milliseconds; null on a follower. */
  readonly commitMs: number | null;
  /** Those that follow, by their addresses; null on a follower: the owner hears them. */
  readonly followers: readonly FollowerStatus[] | null;
}

/** A node of a cluster, as the HTTP side and the commands of an operator see it. */
export interface Membership {
  readonly status: ClusterStatus;
  /** Whether this node serves, and can prove it now: ask right before a request is taken. */
  readonly mayServe: boolean;
  /** Whether attempts may start at this moment: ask right before each. */
  readonly mayAct: boolean;
  /** The address of another node that owns the log; null while none is known. */
  readonly otherOwner: string | null;
  /**
   * Lets another node take over: attempts in flight end while it still serves, then it serves
   * nothing any more, and ends the process with exit code 75 once all that was taken in is
   * answered. Rejects where this node is not the owner.
   */
  handOver(): Promise<void>;
}

/** A stop waits so long for requests in flight, and an owner of a shared log so long. */
const requestsMs = { alone: 10_000, owner: 1000 } as const;

/**
 * How long a stop waits now for requests in flight, in milliseconds. An owner waits less: the
 * requests of all nodes wait until it has given up the shared log (ADR 120).
 */
export function requestsDeadlineMs(membership: Membership | null): number {
  return membership?.mayServe === true ? requestsMs.owner : requestsMs.alone;
}
