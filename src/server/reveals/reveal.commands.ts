/** The command that records a reveal; its id is the credential that asks. */
import type { Command } from '../../engine/decider.js';
import type { RevealedPart } from './reveal.events.js';

/** Records that something will be shown in clear. */
export interface RecordReveal extends Command<null>, RevealedPart {
  readonly type: 'RecordReveal';
}
