import fc from 'fast-check';
import type { JobCommand } from '../../../src/messaging/jobs/job.commands.js';
import { jobDecider } from '../../../src/messaging/jobs/job.decider.js';
import { JobIndex } from '../../../src/messaging/jobs/job-index.projection.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { carriesNothing, commandsTo } from '../../support/deciders/histories.js';

const anyJob = fc.constantFrom('job_1', 'job_2', 'job_3');

const jobCommands = commandsTo<JobCommand>(
  jobDecider.kind,
  fc.oneof(
    fc.record({ id: anyJob, rate: fc.constantFrom(null, 0.5, 7) }).map(({ id, rate }) => ({
      type: 'CreateJob' as const,
      id,
      definition: {
        verb: 'retry',
        over: 'deadLetters',
        filters: [{ name: 'label', values: ['a', 'b'] }],
        options: ['Svc-Retries', '0'],
        rate,
        until: 40,
      },
    })),
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('AdvanceJob' as const),
        id: anyJob,
        position: fc.nat(40),
        done: fc.nat(32),
        refusals: fc.constantFrom([], [{ id: 'x', reason: 'gone' }]),
      }),
    },
    fc.record({
      type: fc.constant('AbortJob' as const),
      id: anyJob,
      reason: fc.constantFrom(null, 'there is no retry any more'),
    }),
    fc.record({ type: fc.constantFrom('FinishJob', 'ForgetJob'), id: anyJob }),
  ),
);

describeLaws({
  decider: jobDecider,
  commands: jobCommands,
  register(engine) {
    const index = new JobIndex();
    engine.register({ decider: jobDecider, view: index, folds: [index] });
    engine.carry('goOnWithJob', carriesNothing);
    engine.carry('forgetJob', carriesNothing);
    return index;
  },
});
