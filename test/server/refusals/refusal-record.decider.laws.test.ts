import fc from 'fast-check';
import type { RefusalRecordCommand } from '../../../src/server/refusals/refusal-record.commands.js';
import { refusalRecordDecider } from '../../../src/server/refusals/refusal-record.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const refusalCommands = commandsTo<RefusalRecordCommand>(
  refusalRecordDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('RecordRefusal' as const),
      id: fc.constantFrom('::1', '203.0.113.7'),
      reason: fc.constantFrom('missing' as const, 'unknown' as const, 'forbidden' as const),
      method: fc.constant('GET'),
      route: fc.constant('/v2/queues'),
    }),
    fc.record({
      type: fc.constant('CountRefusals' as const),
      id: fc.constant('all'),
      count: fc.nat(),
      since: fc.nat(),
    }),
  ),
);

describeLaws({
  decider: refusalRecordDecider,
  commands: refusalCommands,
  register: (engine) => engine.register({ decider: refusalRecordDecider, view: null, folds: [] }),
});
