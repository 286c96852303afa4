import fc from 'fast-check';
import type { RestCredentialCommand } from '../../../src/topics/credentials/rest-credential.commands.js';
import { restCredentialDecider } from '../../../src/topics/credentials/rest-credential.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const anyCredential = fc.constantFrom('reader', 'writer');

const credentialCommands = commandsTo<RestCredentialCommand>(
  restCredentialDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('CreateRestCredential' as const),
      id: anyCredential,
      digest: fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)),
      permissions: fc.constantFrom('ALL', 'PRODUCE', 'CONSUME'),
      topic: fc.constantFrom('rides', 'ri*', '*'),
    }),
    fc.record({ type: fc.constant('DeleteRestCredential' as const), id: anyCredential }),
  ),
);

describeLaws({
  decider: restCredentialDecider,
  commands: credentialCommands,
  register: (engine) => engine.register({ decider: restCredentialDecider, view: null, folds: [] }),
});
