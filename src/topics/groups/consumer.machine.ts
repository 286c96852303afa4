/**
 * The life of a consumer instance. What it owns is its group's business, how far it has read is its
 * session's.
 *
 *     absent    it has never called
 *     active    it wants a session that watches over it
 *     closed    final; a later call begins another life
 */
import { type SnapshotFrom, setup } from 'xstate';
import type { ConsumerEvent, ConsumerSettings } from './consumer.events.js';

/** An event with the place at which the journal has it. */
export type RecordedConsumerEvent = ConsumerEvent & { readonly offset: number };

export interface ConsumerContext extends ConsumerSettings {
  /** Journal offset of its beginning: tells one life from the next. */
  readonly openedOffset: number;
}

const nothing: ConsumerContext = {
  autoCommit: true,
  autoCommitIntervalMs: 0,
  offsetReset: 'latest',
  sessionTimeoutMs: 0,
  openedOffset: -1,
};

const consumer = setup({
  types: { context: {} as ConsumerContext, events: {} as RecordedConsumerEvent },
});

const open = consumer.assign(({ event }) => {
  if (event.type !== 'ConsumerOpened') return {};
  const { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs, offset } = event;
  return { autoCommit, autoCommitIntervalMs, offsetReset, sessionTimeoutMs, openedOffset: offset };
});

export const consumerMachine = consumer.createMachine({
  id: 'consumer',
  context: nothing,
  initial: 'absent',
  states: {
    absent: { on: { ConsumerOpened: { target: 'active', actions: open } } },
    active: { tags: 'watched', on: { ConsumerClosed: 'closed' } },
    closed: { type: 'final' },
  },
});

export type ConsumerState = SnapshotFrom<typeof consumerMachine>;
