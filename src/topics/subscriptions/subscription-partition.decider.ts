/**
 * The decider of one partition of a subscription: it keeps the position, and lets the next records
 * become messages when the messages of the last ones are final. Uses a plain `evolve` instead of a
 * machine, because it runs for every push.
 */
import { accept, type Decider, type Decision, type Effect } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { PublishMessage } from '../../messaging/messages/message.commands.js';
import type {
  PushRecords,
  SubscriptionPartitionCommand,
} from './subscription-partition.commands.js';
import {
  type SubscriptionPartitionEvent,
  subscriptionPartitionKind,
} from './subscription-partition.events.js';

/** A partition that is pushed or paused; null = it is not pushed. */
export type PartitionState = {
  /** The next offset to push. */
  readonly position: number;
  readonly isPaused: boolean;
  /** The offset at which the last push began. */
  readonly from: number;
  /** Ids of the messages of the last push. */
  readonly messageIds: readonly string[];
} | null;

/**
 * Makes messages of the records from `position` on, as soon as there are any and the messages
 * `after` are final.
 */
export interface PushNext extends Effect {
  readonly kind: 'pushNext';
  readonly position: number;
  readonly after: readonly string[];
}

/** What the decision of a push reads besides the partition's state. */
export interface SubscriptionPartitionView {
  /** Whether a message was published and is not final. */
  isPending(messageId: string): boolean;
}

const nothing = accept<SubscriptionPartitionEvent>([]);

function decide(
  command: SubscriptionPartitionCommand,
  state: PartitionState,
  view: SubscriptionPartitionView,
): Decision<SubscriptionPartitionEvent> {
  if (command.type === 'OpenPartition') {
    const { position, isPaused } = command;
    if (state !== null) return new Refusal('conflict', `${command.id} is open`);
    return accept([{ type: 'PartitionOpened', position, isPaused }]);
  }
  if (state === null) return new Refusal('not_found', `${command.id} is not open`);
  switch (command.type) {
    case 'PushRecords':
      return push(command, state, view);
    case 'PausePartition':
      return state.isPaused ? nothing : accept([{ type: 'PartitionPaused' }]);
    case 'ResumePartition':
      return state.isPaused ? accept([{ type: 'PartitionResumed' }]) : nothing;
    case 'ClosePartition':
      return accept([{ type: 'PartitionClosed' }]);
  }
}

function push(
  { id, position, from, until, records, skipped, messages }: PushRecords,
  state: NonNullable<PartitionState>,
  view: SubscriptionPartitionView,
): Decision<SubscriptionPartitionEvent> {
  const isNext = position === state.position && position <= from && from < until;
  if (state.isPaused || !isNext) return new Refusal('conflict', `${id} does not push these now`);
  if (state.messageIds.some((messageId) => view.isPending(messageId))) {
    return new Refusal('conflict', `${id} waits for an earlier message`);
  }
  const messageIds = messages.map((message) => message.id);
  return accept([{ type: 'RecordsPushed', from, until, records, skipped, messageIds }]);
}

function evolve(state: PartitionState, event: SubscriptionPartitionEvent): PartitionState {
  if (event.type === 'PartitionOpened') {
    const { position, isPaused } = event;
    return { position, isPaused, from: position, messageIds: [] };
  }
  if (state === null || event.type === 'PartitionClosed') return null;
  switch (event.type) {
    case 'RecordsPushed': {
      const { from, until, messageIds } = event;
      return { ...state, position: until, from, messageIds };
    }
    case 'PartitionPaused':
      return { ...state, isPaused: true };
    case 'PartitionResumed':
      return { ...state, isPaused: false };
  }
}

function wants(state: PartitionState): readonly PushNext[] {
  if (state === null || state.isPaused) return [];
  const { position, messageIds: after } = state;
  return [{ kind: 'pushNext', id: `from ${position}`, notBefore: 0, position, after }];
}

/**
 * A push is refused as `conflict` if the partition has another position by now, or its last
 * messages are not final (ADR 12).
 */
export const partitionDecider: Decider<
  PartitionState,
  SubscriptionPartitionCommand,
  SubscriptionPartitionEvent,
  SubscriptionPartitionView
> = {
  kind: subscriptionPartitionKind,
  events: {
    PartitionOpened: [],
    RecordsPushed: [],
    PartitionPaused: [],
    PartitionResumed: [],
    PartitionClosed: [],
  },
  initialState: () => null,
  decide,
  evolve,
  // One turn: a record counts as pushed when all of its messages are published, for however many
  // endpoints.
  react: ({ event }, _state, _names, command): readonly PublishMessage[] =>
    event.type === 'RecordsPushed' && command.type === 'PushRecords' ? command.messages : [],
  wants,
  isFinal: (state) => state === null,
  checkpoints: { references: () => [] },
};
