import fc from 'fast-check';
import type { RecordReveal } from '../../../src/server/reveals/reveal.commands.js';
import { revealDecider } from '../../../src/server/reveals/reveal.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const revealCommands = commandsTo<RecordReveal>(
  revealDecider.kind,
  fc.record({
    type: fc.constant('RecordReveal' as const),
    id: fc.constantFrom('rest:admin', 'token:auditor'),
    what: fc.constantFrom('events' as const, 'entity' as const),
    stream: fc.constantFrom(null, 'message/msg_1'),
    from: fc.nat(),
    until: fc.nat(),
    bodies: fc.boolean(),
  }),
);

describeLaws({
  decider: revealDecider,
  commands: revealCommands,
  register: (engine) => engine.register({ decider: revealDecider, view: null, folds: [] }),
});
