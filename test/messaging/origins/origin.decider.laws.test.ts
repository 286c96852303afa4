import fc from 'fast-check';
import type { OriginCommand } from '../../../src/messaging/origins/origin.commands.js';
import { originDecider } from '../../../src/messaging/origins/origin.decider.js';
import { OriginIndex } from '../../../src/messaging/origins/origin-index.projection.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const originCommands = commandsTo<OriginCommand>(
  originDecider.kind,
  fc.record({
    type: fc.constantFrom('PauseOrigin', 'ResumeOrigin'),
    id: fc.constantFrom('https://a.example', 'http://b.example:8080'),
  }),
);

describeLaws({
  decider: originDecider,
  commands: originCommands,
  register(engine) {
    const index = new OriginIndex();
    engine.register({ decider: originDecider, view: index, folds: [index] });
    return index;
  },
});
