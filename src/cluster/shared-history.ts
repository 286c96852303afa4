/** The fold of the shared log: who owns it, and which of its batches count (ADR 63). */
import { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { SharedLogEntry } from './commit-log.js';
import {
  type BatchPart,
  type Claim,
  chained,
  decodeEntry,
  type Entry,
  type Life,
} from './entry.js';
import type { Head, OwnershipRules, Unfinished } from './rules.js';

/** The folded state: a value that can be stored, sent to another node, and continued from. */
export interface HistoryState extends Head {
  /** All places before this one are folded. */
  readonly next: number;
  /** The number of the last batch that counted when the owner took the log. */
  readonly tookAfter: number;
  /** The place of the last claim or release that counts; 0 = there was none. */
  readonly turnedAt: number;
  /** The life of the owner; null before the first claim. */
  readonly owner: Life | null;
  /** The name of the node that is the owner. */
  readonly node: string | null;
  readonly unfinished: (Unfinished & { readonly bodies: readonly Buffer[] }) | null;
}

/** The state before anything was read from the log. */
export const emptyHistory: HistoryState = {
  next: 0,
  epoch: 0,
  sequence: 0,
  checksum: 0,
  tookAfter: 0,
  turnedAt: 0,
  owner: null,
  node: null,
  unfinished: null,
};

/** A complete batch that counts. */
export interface CountedBatch {
  readonly epoch: number;
  readonly sequence: number;
  /** The place of its last part. */
  readonly place: number;
  /** As `SharedLogEntry.at` of that part. */
  readonly at: number | null;
  readonly body: Buffer;
}

/** What an entry means to every reader. */
export type Verdict =
  /** A node took the log. `isVacant`: there was no owner, or the owner had released the log. */
  | {
      readonly kind: 'claimed';
      readonly epoch: number;
      readonly owner: Life;
      readonly isVacant: boolean;
    }
  | { readonly kind: 'released' }
  | { readonly kind: 'counted'; readonly batch: CountedBatch }
  /** A heartbeat of the owner, or a part of its batch other than the last part. */
  | { readonly kind: 'heard' }
  /** An entry without effect: from a stale owner, repeated, or late. */
  | { readonly kind: 'ignored' }
  /** The place is not the next one to fold: continue from a snapshot instead. */
  | { readonly kind: 'hole' };

const ignored: Verdict = { kind: 'ignored' };
const heard: Verdict = { kind: 'heard' };

/** Folds entries in their order. */
export class SharedHistory {
  constructor(
    private readonly rules: OwnershipRules,
    private current: HistoryState = emptyHistory,
  ) {}

  get state(): HistoryState {
    return this.current;
  }

  /**
   * Folds one entry. Throws `AcknowledgedEntriesMissing` if the entry presupposes entries that this
   * reader never saw, or if its writer does not know entries that this reader saw: a log that keeps
   * its order and its tail cannot hold such an entry.
   */
  fold(entry: SharedLogEntry): Verdict {
    const said = decodeEntry(entry.bytes);
    if (!this.rules.foldsAt(this.current.next, entry.place)) {
      // The entries read so far may belong to another log: then no snapshot of this log continues
      // them.
      if (said !== null) mustKnow(this.current, entry.place, said);
      return { kind: 'hole' };
    }
    if (said === null) {
      throw new AcknowledgedEntriesMissing(entry.place, 'it holds no intact entry');
    }
    this.mustBePossible(entry.place, said);
    const verdict = this.isValid(said) ? this.take(entry.place, entry.at, said) : ignored;
    this.current = { ...this.current, next: entry.place + 1 };
    return verdict;
  }

  /** Folds an entry of which its writer knows that it counts: nothing came before it unread. */
  accept(place: number, at: number | null, said: Entry): Verdict {
    const verdict = this.take(place, at, said);
    this.current = { ...this.current, next: place + 1 };
    return verdict;
  }

  private isValid(said: Entry): boolean {
    const { rules, current } = this;
    if (said.kind === 'claim') return rules.claimTakes(current, said.epoch);
    if (said.kind !== 'part') return said.epoch === current.epoch;
    return this.continues(said) || (this.isFirstOfNew(said) && rules.batchFollows(current, said));
  }

  private continues(said: BatchPart): boolean {
    const { unfinished } = this.current;
    return unfinished !== null && this.rules.partContinues(this.current, unfinished, said);
  }

  /** False for a repeated first part: it must not discard the parts that have followed it. */
  private isFirstOfNew({ part, epoch, sequence }: BatchPart): boolean {
    const { unfinished } = this.current;
    if (part !== 0) return false;
    return unfinished?.epoch !== epoch || unfinished.sequence !== sequence;
  }

  private take(place: number, at: number | null, said: Entry): Verdict {
    if (said.kind === 'heartbeat') return heard;
    if (said.kind === 'release') return this.release(place);
    return said.kind === 'claim' ? this.claim(place, said) : this.part(place, at, said);
  }

  private claim(turnedAt: number, { epoch, life, node }: Claim): Verdict {
    const { sequence: tookAfter, owner } = this.current;
    this.current = { ...this.current, epoch, tookAfter, turnedAt, owner: life, node };
    return { kind: 'claimed', epoch, owner: life, isVacant: owner === null };
  }

  private release(turnedAt: number): Verdict {
    this.current = { ...this.current, turnedAt, owner: null, node: null };
    return { kind: 'released' };
  }

  private part(place: number, at: number | null, said: BatchPart): Verdict {
    const { epoch, sequence, previous, part, parts } = said;
    const bodies = [...(said.part > 0 ? (this.current.unfinished?.bodies ?? []) : []), said.body];
    if (part + 1 < parts) {
      const taken = part + 1;
      const begun = { epoch, sequence, previous, taken, parts, bodies };
      this.current = { ...this.current, unfinished: begun };
      return heard;
    }
    const body = bodies.length === 1 ? said.body : Buffer.concat(bodies);
    const checksum = chained(this.current.checksum, body);
    this.current = { ...this.current, sequence, checksum, unfinished: null };
    return { kind: 'counted', batch: { epoch, sequence, place, at, body } };
  }

  /** An owner reads before it writes, and has one append in flight: that limits what can follow. */
  private mustBePossible(place: number, said: Entry): void {
    const reason = impossible(this.current, place, said);
    if (reason !== null) throw new AcknowledgedEntriesMissing(place, reason);
    mustKnow(this.current, place, said);
  }
}

/**
 * Throws if the writer had read past the last claim or release that counts here, yet does not know
 * of it: either this reader read another log, or the log has lost its tail since.
 */
function mustKnow({ epoch, owner, turnedAt }: HistoryState, place: number, said: Entry): void {
  if (said.after <= turnedAt || said.epoch > epoch) return;
  if (said.kind !== 'claim' && said.epoch === epoch && said.life === owner) return;
  const reason = `its writer does not know who has owned the log since place ${turnedAt}`;
  throw new AcknowledgedEntriesMissing(place, reason);
}

/** Why an entry cannot occur at this place of an intact log; null if it can. */
function impossible(head: HistoryState, place: number, said: Entry): string | null {
  const { epoch, sequence, checksum, tookAfter } = head;
  if (said.after > place) return `its writer had read up to ${said.after}`;
  if (said.kind === 'claim') {
    return said.epoch > epoch + 1 ? `a claim of epoch ${said.epoch} in epoch ${epoch}` : null;
  }
  if (said.epoch !== epoch) {
    return said.epoch > epoch ? `an entry of epoch ${said.epoch} in epoch ${epoch}` : null;
  }
  // A heartbeat names the last counted batch; a part belongs to the batch after the last counted
  // one.
  const [known, link] =
    said.kind === 'part' ? [said.sequence - 1, said.previous] : [said.sequence, said.checksum];
  if (known > sequence) return `batch ${known} is not there`;
  if (known < tookAfter) return `its owner has not read batch ${tookAfter}`;
  return known === sequence && link !== checksum ? `batch ${known} is another one` : null;
}
