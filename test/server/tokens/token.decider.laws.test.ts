import fc from 'fast-check';
import type { TokenCommand } from '../../../src/server/tokens/token.commands.js';
import { tokenDecider } from '../../../src/server/tokens/token.decider.js';
import { TokenIndex } from '../../../src/server/tokens/token-index.projection.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const anyToken = fc.constantFrom('deploy', 'console');

const tokenCommands = commandsTo<TokenCommand>(
  tokenDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('CreateToken' as const),
      id: anyToken,
      digest: fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)),
      role: fc.constantFrom('read' as const, 'operate' as const, 'admin' as const),
      expiresAt: fc.constantFrom(null, 1, Number.MAX_SAFE_INTEGER),
    }),
    fc.record({ type: fc.constant('RevokeToken' as const), id: anyToken }),
    fc.record({ type: fc.constant('ExpireToken' as const), id: anyToken }),
  ),
);

describeLaws({
  decider: tokenDecider,
  commands: tokenCommands,
  register: (engine) => {
    const index = new TokenIndex();
    engine.carry('expireToken', { start: () => () => undefined });
    return engine.register({ decider: tokenDecider, view: index, folds: [index] });
  },
});
