/** The actions that a member of a cluster asks its node for, and its options (ADR 63). */
import type { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { Life } from './entry.js';
import type { OwnershipRules, OwnershipTimes } from './rules.js';
import type { CountedBatch } from './shared-history.js';

/** What a node has to do, in the order in which it is said. */
export type MemberAction =
  /** Append; tell `appendEnded` how it went, once. */
  | {
      readonly kind: 'append';
      readonly send: number;
      readonly expected: number;
      readonly bytes: Buffer;
    }
  /** Read; tell `readEnded` or `readFailed`. One read is under way at a time. */
  | { readonly kind: 'read'; readonly from: number }
  /** Fold a batch. `isOwn`: this owner submitted it; the requests in it may now be answered. */
  | { readonly kind: 'counted'; readonly batch: CountedBatch; readonly isOwn: boolean }
  /** The log is this node's. It serves once `mayServe` says so. */
  | { readonly kind: 'took'; readonly epoch: number }
  /** The log is given up, as was asked: this life has nothing more to do. */
  | { readonly kind: 'released' }
  /** The log is another node's: drop all that is not counted. */
  | { readonly kind: 'stood-down' }
  /** Entries were trimmed that this node has not read: get a snapshot, then `restore`. */
  | { readonly kind: 'resync'; readonly start: number }
  /** End the process. */
  | { readonly kind: 'stop'; readonly error: AcknowledgedEntriesMissing };

/** Who a node is, and by what rules it lives. */
export interface MemberOptions {
  readonly name: string;
  readonly life: Life;
  readonly rules: OwnershipRules;
  readonly times: OwnershipTimes;
  /** Added to the silence before a claim, so that followers do not all claim at once. */
  readonly jitterMs: number;
  readonly partBytes?: number;
  /** Whether it may claim the log at all; asked before each claim. Without it, it may. */
  readonly mayClaim?: () => boolean;
}
