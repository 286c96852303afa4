/** The decider of a consumer instance; an active instance wants its session to run. */
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

/** The session of an active instance: its positions, and whether the client is still alive. */
export interface RunConsumer extends Effect {
  readonly kind: 'runConsumer';
  readonly settings: ConsumerSettings;
}

/** An active instance; null = not active. Its session holds everything else. */
export type ConsumerState = {
  readonly settings: ConsumerSettings;
  /** Journal offset of the opening, which distinguishes the lives of instances with the same id. */
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

/**
 * Opening an open instance is accepted without an event; closing an instance that is not open gives
 * 404.
 */
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
