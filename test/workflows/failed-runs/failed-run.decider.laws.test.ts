import fc from 'fast-check';
import type { FailedRunCommand } from '../../../src/workflows/failed-runs/failed-run.commands.js';
import { failedRunDecider } from '../../../src/workflows/failed-runs/failed-run.decider.js';
import { FailedRuns } from '../../../src/workflows/failed-runs/failed-run.entity.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo, historyStart } from '../../support/deciders/histories.js';
import {
  messagesOfRuns,
  registerRunsAndMessages,
  runCommands,
} from '../../support/deciders/run-histories.js';

/** The id encodes the failed run's place in the listing. */
const failedRunCommands = commandsTo<FailedRunCommand>(
  failedRunDecider.kind,
  fc.record({
    type: fc.constantFrom(
      'DeleteFailedRun' as const,
      'ResumeFailedRun' as const,
      'RestartFailedRun' as const,
      'AllowFailureCallback' as const,
    ),
    id: fc.constantFrom('0', '0', '1'),
    runId: fc.constant('wfr_again'),
  }),
);

const settings = { deadLetterRetentionMs: 20 * 60_000 };

describeLaws({
  decider: failedRunDecider,
  commands: fc.oneof(
    { weight: 3, arbitrary: runCommands },
    { weight: 2, arbitrary: messagesOfRuns },
    failedRunCommands,
  ),
  register(engine) {
    const { messages, runs } = registerRunsAndMessages(engine);
    const { letters } = new FailedRuns(engine, runs, messages, settings);
    return {
      get all() {
        return letters.all(historyStart);
      },
    };
  },
  address: (command, { all }) =>
    command.kind === failedRunDecider.kind
      ? { ...command, id: all[Number(command.id)]?.id ?? 'no-run' }
      : command,
});
