/** The actions that a member of a cluster asks its node for, and its options (ADR 63). */
import type { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { Life } from './entry.js';
import type { OwnershipRules, OwnershipTimes } from './rules.js';
import type { CountedBatch } from './shared-history.js';

/** What a node has to do. Actions are carried out in the order in which they are returned. */
export type MemberAction =
  /** Append; report the outcome to `appendEnded`, once. */
  | {
      readonly kind: 'append';
      readonly send: number;
      readonly expected: number;
      readonly bytes: Buffer;
    }
  /**
   * Read; report the result to `readEnded` or `readFailed`. Only one read is in flight at a time.
   */
  | { readonly kind: 'read'; readonly from: number }
  /**
   * Fold a batch. If `isOwn`, this owner submitted it, and the requests in it may now be answered.
   */
  | { readonly kind: 'counted'; readonly batch: CountedBatch; readonly isOwn: boolean }
  /** This node now owns the log. It serves once `mayServe` is true. */
  | { readonly kind: 'took'; readonly epoch: number }
  /** The log is released, as requested: this life has nothing more to do. */
  | { readonly kind: 'released' }
  /** Another node owns the log: drop everything that does not count. */
  | { readonly kind: 'stood-down' }
  /** Entries were trimmed that this node has not read: get a snapshot, then `restore`. */
  | { readonly kind: 'resync'; readonly start: number }
  /** End the process. */
  | { readonly kind: 'stop'; readonly error: AcknowledgedEntriesMissing };

/** The identity of a node, and the rules and times it follows. */
export interface MemberOptions {
  readonly name: string;
  readonly life: Life;
  readonly rules: OwnershipRules;
  readonly times: OwnershipTimes;
  /** Added to the silence before a claim, so that followers do not all claim at once. */
  readonly jitterMs: number;
  readonly partBytes?: number;
  /** Whether the node may claim the log; asked before each claim. If absent, it always may. */
  readonly mayClaim?: () => boolean;
}
