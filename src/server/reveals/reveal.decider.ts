/** Records in the journal what was shown in clear. Each stream ends with its only event. */
import { accept, type Decider } from '../../engine/decider.js';
import type { RecordReveal } from './reveal.commands.js';
import { type JournalRevealed, revealKind } from './reveal.events.js';

/** Refuses nothing: the caller's rights were already checked. */
export const revealDecider: Decider<null, RecordReveal, JournalRevealed> = {
  kind: revealKind,
  events: { JournalRevealed: [] },
  initialState: () => null,
  decide: ({ what, stream, from, until, bodies }) =>
    accept([{ type: 'JournalRevealed', what, stream, from, until, bodies }]),
  evolve: () => null,
  wants: () => [],
  isFinal: () => true,
};
