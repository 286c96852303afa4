import fc from 'fast-check';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import {
  eventIds,
  messagesOfRuns,
  registerRunsAndMessages,
  runCommands,
  runIds,
} from '../../support/deciders/run-histories.js';

describeLaws({
  decider: runDecider,
  commands: fc.oneof({ weight: 3, arbitrary: runCommands }, messagesOfRuns),
  register(engine) {
    const { known, notifications, pending, waiters } = registerRunsAndMessages(engine).runs;
    return {
      get known() {
        return Object.values(known.memory.maps).map((map) => [...map]);
      },
      notifications,
      get pending() {
        return runIds.map((id) => [pending.has(id), [...pending.of(id)].sort()]);
      },
      get waiting() {
        return eventIds.map((eventId) => waiters.of(eventId));
      },
    };
  },
  address(command, { waiting }) {
    if (command.type !== 'EndWait') return command;
    const waiter = waiting[eventIds.indexOf(command.id)]?.[0];
    if (waiter === undefined) return command;
    const { runId: id, stepId, offset: waitOffset } = waiter;
    return Object.assign({}, command, { id, stepId, waitOffset, messageId: `msg_${id}_${stepId}` });
  },
});
