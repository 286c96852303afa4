import fc from 'fast-check';
import type { FlowControlCommand } from '../../../src/messaging/flow-control/flow-control.commands.js';
import { flowControlDecider } from '../../../src/messaging/flow-control/flow-control.decider.js';
import { KeyUsage } from '../../../src/messaging/flow-control/key-usage.projection.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo } from '../../support/deciders/histories.js';
import { messageCommands, registerMessages } from '../../support/deciders/message-histories.js';

const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
const keyed = <Type extends string, Fields extends object>(
  type: Type,
  fields: fc.Arbitrary<Fields>,
) =>
  fc
    .tuple(fc.constantFrom('k', 'other'), fields)
    .map(([id, chosen]) => ({ type, id, ...chosen }) as const);

const flowControlCommands = commandsTo<FlowControlCommand>(
  flowControlDecider.kind,
  fc.oneof(
    keyed(
      'NameFlowControl',
      fc.record({
        limits: fc.record({
          parallelism: limit,
          rate: limit,
          periodSeconds: fc.constantFrom(1, 60, 3600),
        }),
      }),
    ),
    keyed('PinFlowControl', fc.record({ parallelism: limit, rate: limit, periodSeconds: limit })),
    keyed('UnpinFlowControl', fc.record({ parallelism: fc.boolean(), rate: fc.boolean() })),
    keyed('PauseFlowControl', fc.constant({})),
    keyed('ResumeFlowControl', fc.constant({})),
    keyed('ResetRate', fc.constant({})),
    keyed('ReserveGrants', fc.record({ waiting: fc.integer({ min: 1, max: 4 }) })),
    keyed('ForgetFlowControl', fc.constant({})),
  ),
);

describeLaws({
  decider: flowControlDecider,
  commands: fc.oneof(messageCommands, flowControlCommands),
  register(engine) {
    const usage = new KeyUsage();
    registerMessages(engine, usage);
    return usage;
  },
});
