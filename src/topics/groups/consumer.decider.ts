/** What a command means for a consumer instance, and that an active one wants its session. */
import {
  accept,
  type Decider,
  type Decision,
  type Effect,
  type EventEnvelope,
} from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { ConsumerCommand } from './consumer.commands.js';
import {
  type ConsumerEvent,
  type ConsumerSettings,
  consumerKind,
  consumerPlace,
} from './consumer.events.js';
import type { LeaveGroup } from './consumer-group.commands.js';
import { consumerGroupKind } from './consumer-group.events.js';

/** The session of an active instance: what it has read, and whether it is still there. */
export interface RunConsumer extends Effect {
  readonly kind: 'runConsumer';
  readonly settings: ConsumerSettings;
}

/** An instance that is active; null = it is not. How it lives, its session knows. */
export type ConsumerState = {
  readonly settings: ConsumerSettings;
  /** Journal offset of its beginning: no two lives of an instance have the same. */
  readonly openedOffset: number;
} | null;

function decide(command: ConsumerCommand, state: ConsumerState): Decision<ConsumerEvent> {
  if (command.type === 'OpenConsumer') {
    const { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs } = command.settings;
    const settings = { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs };
    return accept(state === null ? [{ type: 'ConsumerOpened', ...settings }] : []);
  }
  if (state !== null) return accept([{ type: 'ConsumerClosed', reason: command.reason }]);
  const { group, instance } = consumerPlace(command.id);
  return new Refusal('not_found', `group ${group} has no instance ${instance}`);
}

function evolve(
  _state: ConsumerState,
  event: ConsumerEvent,
  { offset: openedOffset }: Pick<EventEnvelope, 'offset'>,
): ConsumerState {
  if (event.type === 'ConsumerClosed') return null;
  const { type: _type, ...settings } = event;
  return { settings, openedOffset };
}

function react({ id, at, event }: EventEnvelope<ConsumerEvent>): readonly LeaveGroup[] {
  if (event.type !== 'ConsumerClosed') return [];
  const { group, instance } = consumerPlace(id);
  return [{ type: 'LeaveGroup', kind: consumerGroupKind, id: group, at, instance }];
}

function wants(state: ConsumerState): readonly RunConsumer[] {
  if (state === null) return [];
  const { openedOffset, settings } = state;
  return [{ kind: 'runConsumer', id: `opened at ${openedOffset}`, notBefore: 0, settings }];
}

/** Opening one that is open is accepted without an event; 404 for the end of one that is not. */
export const consumerDecider: Decider<ConsumerState, ConsumerCommand, ConsumerEvent> = {
  kind: consumerKind,
  events: { ConsumerOpened: [], ConsumerClosed: [] },
  initialState: () => null,
  decide,
  evolve,
  react,
  wants,
  isFinal: (state) => state === null,
};
