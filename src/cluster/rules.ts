/**
 * The rules of ownership, each one by itself and pure (ADR 63). The simulation in test/cluster
 * breaks them one at a time, and has to notice each.
 */

/** What all readers of the log agree on at a place of it. */
export interface Head {
  /** Of the owner; 0 before the first claim. */
  readonly epoch: number;
  /** Of the last batch that counts; 0 before the first. */
  readonly sequence: number;
  /** The chain's checksum after that batch. */
  readonly checksum: number;
}

/** What says where a batch belongs. */
export interface BatchLink {
  readonly epoch: number;
  readonly sequence: number;
  /** The chain's checksum after the batch before. */
  readonly previous: number;
}

/** What says where a part of a batch belongs. */
export interface PartLink extends BatchLink {
  /** From 0. */
  readonly part: number;
}

/** A batch of which some parts have come. */
export interface Unfinished extends BatchLink {
  /** How many parts have come. */
  readonly taken: number;
  readonly parts: number;
}

/** Spans of time in milliseconds. Only differences of one clock are ever compared with them. */
export interface OwnershipTimes {
  /** How long after it was sent an acknowledged append proves that its owner is still the owner. */
  readonly proofMs: number;
  /** A follower that has heard no owner for this long claims the log. Longer than a proof. */
  readonly silenceMs: number;
  /** What the rates of two clocks may differ by while a proof lasts. */
  readonly marginMs: number;
  /** An owner with nothing to write says this often that it is there. */
  readonly beatMs: number;
  /** An append whose outcome is unknown is sent again after this. */
  readonly retryMs: number;
}

/** As the study of failover measured them: a new owner answers after some 3.2 s. */
export const ownershipTimes: OwnershipTimes = {
  proofMs: 2000,
  silenceMs: 3000,
  marginMs: 250,
  beatMs: 400,
  retryMs: 100,
};

/** The decisions on which safety depends. */
export interface OwnershipRules {
  /** Whether a claim takes the log: the first one with the next epoch does. */
  claimTakes(head: Head, epoch: number): boolean;
  /** Whether a batch counts: its owner is the owner, and it follows the last one that counts. */
  batchFollows(head: Head, batch: BatchLink): boolean;
  /** Whether a part goes on with the batch of which some parts have come. */
  partContinues(head: Head, unfinished: Unfinished, part: PartLink): boolean;
  /** Whether a reader that expects one place may fold an entry of another. */
  foldsAt(expected: number, place: number): boolean;
  /** Whether an acknowledgement says by itself that an append counts. */
  provesByItself(expected: number, place: number): boolean;
  /** Whether a node that took the log in `epoch` has to give it up. */
  standsDown(head: Head, epoch: number): boolean;
  /** Whether an append of that age still proves ownership. */
  isProof(ageMs: number, times: OwnershipTimes): boolean;
  /** From when on a new owner serves, by when it last heard the one before. */
  servesFrom(heardAt: number, times: OwnershipTimes): number;
}

const isSameBatch = (one: BatchLink, other: BatchLink) =>
  one.epoch === other.epoch && one.sequence === other.sequence && one.previous === other.previous;

/** The rules as they are meant. */
export const ownershipRules: OwnershipRules = {
  claimTakes: (head, epoch) => epoch === head.epoch + 1,
  batchFollows: (head, batch) =>
    isSameBatch({ epoch: head.epoch, sequence: head.sequence + 1, previous: head.checksum }, batch),
  partContinues: (head, unfinished, part) =>
    part.epoch === head.epoch && isSameBatch(unfinished, part) && part.part === unfinished.taken,
  foldsAt: (expected, place) => place === expected,
  // Nothing came between, and all before it was folded: the epoch is still the writer's.
  provesByItself: (expected, place) => place === expected,
  standsDown: (head, epoch) => head.epoch !== epoch,
  isProof: (ageMs, { proofMs }) => ageMs < proofMs,
  // The owner before sent its last append before this node heard it: its proof has ended by then.
  servesFrom: (heardAt, { proofMs, marginMs }) => heardAt + proofMs + marginMs,
};
