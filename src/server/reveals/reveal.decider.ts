/** What was shown in clear, as the journal remembers it. Each stream ends with its only event. */
import { accept, type Decider } from '../../engine/decider.js';
import type { RecordReveal } from './reveal.commands.js';
import { type JournalRevealed, revealKind } from './reveal.events.js';

/** Refuses nothing: who may be shown what is judged before, by the rights of the caller. */
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
