import fc from 'fast-check';
import type { QueueCommand } from '../../../src/messaging/queues/queue.commands.js';
import { queueDecider } from '../../../src/messaging/queues/queue.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const anyQueue = fc.constantFrom('orders', 'mails');

const queueCommands = commandsTo<QueueCommand>(
  queueDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('UpsertQueue' as const),
      id: anyQueue,
      parallelism: fc.constantFrom(null, 0, 1, 5, 1_000_000),
      isPaused: fc.constantFrom(null, true, false),
    }),
    fc.record({
      type: fc.constantFrom('EnsureQueue', 'PauseQueue', 'ResumeQueue', 'DeleteQueue'),
      id: anyQueue,
    }),
  ),
);

describeLaws({
  decider: queueDecider,
  commands: queueCommands,
  register: (engine) => engine.register({ decider: queueDecider, view: null, folds: [] }),
});
