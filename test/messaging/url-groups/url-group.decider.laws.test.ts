import fc from 'fast-check';
import type { UrlGroupCommand } from '../../../src/messaging/url-groups/url-group.commands.js';
import { urlGroupDecider } from '../../../src/messaging/url-groups/url-group.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';

const anyGroup = fc.constantFrom('all', 'some');
const anyUrl = fc.constantFrom('https://a.example', 'https://b.example', 'https://c.example');
const endpointName = fc.constantFrom(null, 'first', 'second');

const groupCommands = commandsTo<UrlGroupCommand>(
  urlGroupDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('UpsertEndpoints' as const),
      id: anyGroup,
      endpoints: fc.array(fc.record({ url: anyUrl, name: endpointName }), { maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('RemoveEndpoints' as const),
      id: anyGroup,
      endpoints: fc.array(fc.record({ url: anyUrl, name: endpointName }), { maxLength: 2 }),
    }),
    fc.record({
      type: fc.constant('SetGroupHeaders' as const),
      id: anyGroup,
      headers: fc.constantFrom([], ['X-Tenant', 'acme']),
    }),
    fc.record({ type: fc.constant('DeleteUrlGroup' as const), id: anyGroup }),
  ),
);

describeLaws({
  decider: urlGroupDecider,
  commands: groupCommands,
  register: (engine) => engine.register({ decider: urlGroupDecider, view: null, folds: [] }),
});
