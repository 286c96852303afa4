/**
 * Decides whether a failed run may be removed, and whether its failure callback may be called
 * again: only while the failed run exists. It exists because of a run's failure, so decisions read
 * the index of failures.
 */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { LetterIndex } from '../../messaging/dead-letters/letter-index.js';
import { failureOffsetOf } from '../../messaging/messages/dead-letter-id.js';
import type { FailedRunCommand } from './failed-run.commands.js';
import { type FailedRunEvent, failedRunKind } from './failed-run.events.js';
import type { FailedRun } from './failed-runs.projection.js';

/** The state by the failed run's own events; a removed one is final. */
export type FailedRunState = 'untouched' | 'taken';

function decide(
  command: FailedRunCommand,
  _state: FailedRunState,
  runs: Pick<LetterIndex<FailedRun>, 'find'>,
): Decision<FailedRunEvent> {
  const { id, at } = command;
  const run = runs.find(id, at);
  if (run === undefined) return new Refusal('not_found', `failed run ${id} not found`);
  switch (command.type) {
    case 'DeleteFailedRun':
      return accept([{ type: 'FailedRunDeleted' }]);
    case 'ResumeFailedRun':
      return accept([{ type: 'FailedRunResumed', runId: command.runId }]);
    case 'RestartFailedRun':
      return accept([{ type: 'FailedRunRestarted', runId: command.runId }]);
    case 'AllowFailureCallback':
      // Needs no event: the message published in the same turn records it.
      return run.callback?.state === 'CALLBACK_FAIL'
        ? accept([])
        : new Refusal('invalid', 'only a failure callback that failed can be called again');
  }
}

/**
 * 404 for a failed run that does not exist, was removed, or is older than its retention; 400 for a
 * callback that has not failed.
 */
export const failedRunDecider: Decider<
  FailedRunState,
  FailedRunCommand,
  FailedRunEvent,
  Pick<LetterIndex<FailedRun>, 'find'>
> = {
  kind: failedRunKind,
  events: { FailedRunDeleted: [], FailedRunResumed: [], FailedRunRestarted: [] },
  initialState: () => 'untouched',
  decide,
  evolve: () => 'taken',
  wants: () => [],
  isFinal: (state) => state === 'taken',
  // Otherwise a replay would lose the fact that the failed run was removed.
  keptWith: (id) => ({ offset: failureOffsetOf(id) }),
};
