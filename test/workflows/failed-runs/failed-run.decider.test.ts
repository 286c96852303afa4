import type { Command } from '../../../src/engine/decider.js';
import type { FailedRunCommand } from '../../../src/workflows/failed-runs/failed-run.commands.js';
import { failedRunDecider } from '../../../src/workflows/failed-runs/failed-run.decider.js';
import type { FailedRun } from '../../../src/workflows/failed-runs/failed-runs.projection.js';
import type { CallbackState } from '../../../src/workflows/run-state/callback-state.js';
import { epochMs, given } from '../../support/given.js';
import { failedRun } from '../../support/workflows/failed-run.js';

const run = failedRun();
const runWith = (state: CallbackState): FailedRun => ({
  ...run,
  callback: { state, messageId: 'msg_9', publishedOffset: 10, attemptOffset: null },
});
const lettersWith = (there: FailedRun) => ({
  find: (id: string) => (id === there.id ? there : undefined),
});
const address = { kind: 'failed-run', id: 'it', at: epochMs } satisfies Omit<Command, 'type'>;

const takes: readonly FailedRunCommand[] = [
  { ...address, type: 'DeleteFailedRun' },
  { ...address, type: 'ResumeFailedRun', runId: 'wfr_2' },
  { ...address, type: 'RestartFailedRun', runId: 'wfr_2' },
];

describe('a failed run', () => {
  it.each([
    [takes[0], { type: 'FailedRunDeleted' }],
    [takes[1], { type: 'FailedRunResumed', runId: 'wfr_2' }],
    [takes[2], { type: 'FailedRunRestarted', runId: 'wfr_2' }],
  ] as const)('can be removed, and is final then: %j', (command, event) => {
    const { events, isFinal, wants } = given(failedRunDecider, lettersWith(run)).when(
      command as FailedRunCommand,
    );
    expect(events).toEqual([event]);
    expect(isFinal).toBe(true);
    expect(wants).toEqual([]);
  });

  it.each([...takes, { ...address, type: 'AllowFailureCallback' as const }])(
    'that does not exist cannot be removed or reported: $type',
    (command) => {
      const gone = { find: () => undefined };
      expect(given(failedRunDecider, gone).when(command).rejected).toEqual({
        code: 'not_found',
        message: 'failed run it not found',
      });
    },
  );

  it('allows another call of a failed failure callback, without an event', () => {
    const command = { ...address, type: 'AllowFailureCallback' as const };
    const failed = given(failedRunDecider, lettersWith(runWith('CALLBACK_FAIL'))).when(command);
    expect(failed.events).toEqual([]);
  });

  it.each(['CALLBACK_INPROGRESS', 'CALLBACK_SUCCESS', 'CALLBACK_CANCELED'] as const)(
    'allows no second call of a failure callback in state %s',
    (state) => {
      const command = { ...address, type: 'AllowFailureCallback' as const };
      const decided = given(failedRunDecider, lettersWith(runWith(state))).when(command);
      expect(decided.rejected).toMatchObject({ code: 'invalid' });
    },
  );

  it('has no failure callback to call if none was named', () => {
    const command = { ...address, type: 'AllowFailureCallback' as const };
    expect(given(failedRunDecider, lettersWith(run)).when(command).rejected).toMatchObject({
      code: 'invalid',
    });
  });
});
