import fc from 'fast-check';
import { LetterIndex } from '../../../src/messaging/dead-letters/letter-index.js';
import { messageDecider } from '../../../src/messaging/messages/message.decider.js';
import type { FailedRunCommand } from '../../../src/workflows/failed-runs/failed-run.commands.js';
import { failedRunDecider } from '../../../src/workflows/failed-runs/failed-run.decider.js';
import {
  type FailedRun,
  FailedRuns,
} from '../../../src/workflows/failed-runs/failed-runs.projection.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { commandsTo, describeLaws, historyStart } from '../../support/deciders/decider-laws.js';
import {
  messagesOfRuns,
  registerRunsAndMessages,
  runCommands,
} from '../../support/deciders/run-histories.js';
import { originOf } from '../../support/publications.js';

/** The id is the failed run's place in the listing. */
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

const lettersKeptMs = 20 * 60_000;

describeLaws({
  decider: failedRunDecider,
  commands: fc.oneof(
    { weight: 3, arbitrary: runCommands },
    { weight: 2, arbitrary: messagesOfRuns },
    failedRunCommands,
  ),
  register(engine) {
    registerRunsAndMessages(engine);
    const letters = new LetterIndex<FailedRun>(lettersKeptMs);
    const fold = new FailedRuns(letters, originOf(engine));
    engine.register({ decider: failedRunDecider, view: letters, folds: [fold] });
    engine.follow(runDecider.kind, fold);
    engine.follow(messageDecider.kind, fold);
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
