import fc from 'fast-check';
import type { RotateSigningKeys } from '../../../src/messaging/signing-keys/signing-keys.commands.js';
import { signingKeysDecider } from '../../../src/messaging/signing-keys/signing-keys.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const rotations = commandsTo<RotateSigningKeys>(
  signingKeysDecider.kind,
  fc
    .record({
      configured: fc.constantFrom(
        { current: 'sig_1', next: 'sig_2' },
        { current: 'sig_8', next: 'sig_9' },
      ),
      fresh: fc.integer({ min: 10, max: 99 }).map((number) => `sig_${number}`),
    })
    .map((pairs) => ({ type: 'RotateSigningKeys' as const, id: 'keys', ...pairs })),
);

describeLaws({
  decider: signingKeysDecider,
  commands: rotations,
  register: (engine) => engine.register({ decider: signingKeysDecider, view: null, folds: [] }),
});
