/** What may be asked of a flow-control key; the key is the id. */
import type { Command } from '../engine/decider.js';
import type { FlowControlValue } from './flow-control-value.js';

/** The stream kind of flow-control keys. */
export const flowControlKind = 'flow-control';

/** A message was published with these limits: the last publish governs the key, unless pinned. */
export interface NameFlowControl extends Command {
  readonly type: 'NameFlowControl';
  readonly limits: FlowControlValue;
}
