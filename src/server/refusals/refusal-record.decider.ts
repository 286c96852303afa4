/** Records refused requests in the journal. Each stream ends with its only event. */
import { accept, type Decider } from '../../engine/decider.js';
import type { RefusalRecordCommand } from './refusal-record.commands.js';
import { type RefusalRecordEvent, refusalRecordKind } from './refusal-record.events.js';

/**
 * Refuses nothing and keeps nothing in memory: `RefusalRecorder` sets the bound, and the records
 * are read from the journal.
 */
export const refusalRecordDecider: Decider<null, RefusalRecordCommand, RefusalRecordEvent> = {
  kind: refusalRecordKind,
  events: { RequestRefused: [], RefusalsCounted: [] },
  initialState: () => null,
  decide: (command) => {
    if (command.type === 'CountRefusals') {
      const { count, since } = command;
      return accept([{ type: 'RefusalsCounted', count, since }]);
    }
    const { reason, method, route } = command;
    return accept([{ type: 'RequestRefused', reason, method, route }]);
  },
  evolve: () => null,
  wants: () => [],
  isFinal: () => true,
};
