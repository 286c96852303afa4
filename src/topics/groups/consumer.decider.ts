/** What a command means for a consumer instance, and that an active one wants its session. */
import {
  accept,
  type Decider,
  type Effect,
  type EventEnvelope,
  reject,
} from '../../engine/decider.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import type { ConsumerCommand } from './consumer.commands.js';
import {
  type ConsumerEvent,
  type ConsumerSettings,
  consumerKind,
  consumerPlace,
} from './consumer.events.js';
import { type ConsumerState, consumerMachine } from './consumer.machine.js';
import type { LeaveGroup } from './consumer-group.commands.js';
import { consumerGroupKind } from './consumer-group.events.js';

/** The session of an active instance: what it has read, and whether it is still there. */
export interface RunConsumer extends Effect {
  readonly kind: 'runConsumer';
  readonly settings: ConsumerSettings;
}

const machine = machineEvolve(consumerMachine);

function decide(command: ConsumerCommand, state: ConsumerState) {
  if (command.type === 'OpenConsumer') {
    const { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs } = command.settings;
    const settings = { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs };
    const opened: ConsumerEvent = { type: 'ConsumerOpened', ...settings };
    return accept<ConsumerEvent>(machine.can(state, opened) ? [opened] : []);
  }
  const closed: ConsumerEvent = { type: 'ConsumerClosed', reason: command.reason };
  if (machine.can(state, closed)) return accept<ConsumerEvent>([closed]);
  const { group, instance } = consumerPlace(command.id);
  return reject<ConsumerEvent>('not_found', `group ${group} has no instance ${instance}`);
}

function react({ id, at, event }: EventEnvelope<ConsumerEvent>): readonly LeaveGroup[] {
  if (event.type !== 'ConsumerClosed') return [];
  const { group, instance } = consumerPlace(id);
  return [{ type: 'LeaveGroup', kind: consumerGroupKind, id: group, at, instance }];
}

function wants(state: ConsumerState): readonly RunConsumer[] {
  if (!state.hasTag('watched')) return [];
  const { openedOffset, ...settings } = state.context;
  return [{ kind: 'runConsumer', id: `opened at ${openedOffset}`, notBefore: 0, settings }];
}

export const consumerDecider: Decider<ConsumerState, ConsumerCommand, ConsumerEvent> = {
  kind: consumerKind,
  initialState: machine.initialState,
  decide,
  evolve: (state, event, { offset }) => machine.evolve(state, { ...event, offset }),
  hears: machine.can,
  react,
  wants,
  isFinal: machine.isFinal,
  packing: machine.packing,
};
