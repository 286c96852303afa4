/** Everything that one run of the command found. */
import type { Result } from '../../measure/contest.js';
import type { Peer, WorkKind } from '../peer.js';
import type { Outcome, WorkResult } from '../works/race-all.js';
import type { HeldOutcome, WaitingResult } from '../works/waiting.js';

/** A peer with its versions, or why it was not measured. */
export interface Entry {
  readonly peer: Peer;
  readonly versions: string;
  /** The line that installs it; null where it is there. */
  readonly install: string | null;
}

export interface PeersFound {
  readonly entries: readonly Entry[];
  readonly works: readonly WorkResult[];
  readonly waiting: readonly WaitingResult[];
  /** Contests of the plain bench that have a goal. */
  readonly contests: readonly Result[];
}

/** Why a cell has no figure. */
export function reasonOf(entry: Entry, kind: WorkKind): string {
  if (!entry.peer.kinds.includes(kind)) return '-';
  return entry.install === null ? 'not run' : 'absent';
}

export function performanceOf({ outcomes }: WorkResult, name: string) {
  const outcome = outcomes.find(({ peer }: Outcome) => peer.name === name);
  return outcome !== undefined && 'performance' in outcome ? outcome.performance : null;
}

export function heldBy({ outcomes }: WaitingResult, name: string) {
  const outcome = outcomes.find(({ peer }: HeldOutcome) => peer.name === name);
  return outcome !== undefined && 'held' in outcome ? outcome.held : null;
}

export function hasFailed(outcomes: readonly (Outcome | HeldOutcome)[], name: string): boolean {
  return outcomes.some((outcome) => outcome.peer.name === name && 'failure' in outcome);
}
