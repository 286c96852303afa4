/** The command of a reveal; its id is the credential that asks. */
import type { Command } from '../../engine/decider.js';
import type { RevealedPart } from './reveal.events.js';

/** Something is about to be shown in clear. */
export interface RecordReveal extends Command<null>, RevealedPart {
  readonly type: 'RecordReveal';
}
