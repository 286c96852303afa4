/**
 * The rules of ownership, each a separate pure function (ADR 63). The simulation in test/cluster
 * breaks them one at a time and must detect each break.
 */

/** The state that all readers of the log agree on at a given place. */
export interface Head {
  /** The owner's epoch; 0 before the first claim. */
  readonly epoch: number;
  /** The number of the last batch that counts; 0 before the first. */
  readonly sequence: number;
  /** The chain checksum after that batch. */
  readonly checksum: number;
}

/** The fields that say which batch this one follows. */
export interface BatchLink {
  readonly epoch: number;
  readonly sequence: number;
  /** The chain checksum after the batch before. */
  readonly previous: number;
}

/** The fields that say to which batch a part belongs, and where in it. */
export interface PartLink extends BatchLink {
  /** From 0. */
  readonly part: number;
}

/** A batch of which only some parts have been read so far. */
export interface Unfinished extends BatchLink {
  /** How many parts have been read. */
  readonly taken: number;
  readonly parts: number;
}

/** Spans of time in milliseconds. Only differences of one clock are ever compared with them. */
export interface OwnershipTimes {
  /**
   * How long an acknowledged append, counted from its sending, proves that its owner is still the
   * owner.
   */
  readonly proofMs: number;
  /** A follower that has heard no owner for this long claims the log. Longer than a proof. */
  readonly silenceMs: number;
  /** How far two clocks may drift apart while a proof lasts. */
  readonly marginMs: number;
  /** How often an owner with nothing to write sends a heartbeat. */
  readonly beatMs: number;
  /** How long after an unknown outcome an append is sent again. */
  readonly retryMs: number;
}

/** The times measured by the failover study: a new owner answers after about 3.2 s. */
export const ownershipTimes: OwnershipTimes = {
  proofMs: 2000,
  silenceMs: 3000,
  marginMs: 250,
  beatMs: 400,
  retryMs: 100,
};

/** The decisions on which safety depends. */
export interface OwnershipRules {
  /** Whether a claim takes the log: the first claim with the next epoch does. */
  claimTakes(head: Head, epoch: number): boolean;
  /** Whether a batch counts: its writer is the owner, and it follows the last batch that counts. */
  batchFollows(head: Head, batch: BatchLink): boolean;
  /** Whether a part continues the unfinished batch. */
  partContinues(head: Head, unfinished: Unfinished, part: PartLink): boolean;
  /** Whether a reader that expects place `expected` may fold an entry at `place`. */
  foldsAt(expected: number, place: number): boolean;
  /** Whether an acknowledgement alone proves that an append counts. */
  provesByItself(expected: number, place: number): boolean;
  /** Whether a node that took the log in `epoch` has to give it up. */
  standsDown(head: Head, epoch: number): boolean;
  /** Whether an append of this age still proves ownership. */
  isProof(ageMs: number, times: OwnershipTimes): boolean;
  /** When a new owner begins to serve, given when it last heard the previous owner. */
  servesFrom(heardAt: number, times: OwnershipTimes): number;
}

const isSameBatch = (one: BatchLink, other: BatchLink) =>
  one.epoch === other.epoch && one.sequence === other.sequence && one.previous === other.previous;

/** The correct rules; the simulation replaces single ones by broken versions. */
export const ownershipRules: OwnershipRules = {
  claimTakes: (head, epoch) => epoch === head.epoch + 1,
  batchFollows: (head, batch) =>
    isSameBatch({ epoch: head.epoch, sequence: head.sequence + 1, previous: head.checksum }, batch),
  partContinues: (head, unfinished, part) =>
    part.epoch === head.epoch && isSameBatch(unfinished, part) && part.part === unfinished.taken,
  foldsAt: (expected, place) => place === expected,
  // Nothing came in between and everything before was folded, so the writer's epoch still holds.
  provesByItself: (expected, place) => place === expected,
  standsDown: (head, epoch) => head.epoch !== epoch,
  isProof: (ageMs, { proofMs }) => ageMs < proofMs,
  // The previous owner sent its last append before this node heard it: its proof has expired by
  // then.
  servesFrom: (heardAt, { proofMs, marginMs }) => heardAt + proofMs + marginMs,
};
