/**
 * When a dead letter may be taken away: while it is there. That it is there is the failure of its
 * message, so what a decision reads is the index of failures.
 */
import { accept, type Decider } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { failureOffsetOf } from '../messages/dead-letter-id.js';
import type { DeadLetterCommand } from './dead-letter.commands.js';
import { type DeadLetterEvent, deadLetterKind } from './dead-letter.events.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { LetterIndex } from './letter-index.js';

/** What the events of its own say of a letter; one that was taken away is final. */
export type DeadLetterState = 'untouched' | 'taken';

/** The index that a letter's decisions read. */
export type DeadLetterView = Pick<LetterIndex<DeadLetter>, 'find'>;

/** 404 for a letter that is not there, was taken away, or is older than its retention. */
export const deadLetterDecider: Decider<
  DeadLetterState,
  DeadLetterCommand,
  DeadLetterEvent,
  DeadLetterView
> = {
  kind: deadLetterKind,
  events: { DeadLetterDeleted: [], DeadLetterRetried: [] },
  initialState: () => 'untouched',
  decide(command, _state, letters) {
    const { id, at } = command;
    if (letters.find(id, at) === undefined)
      return new Refusal('not_found', `dead letter ${id} not found`);
    return command.type === 'DeleteDeadLetter'
      ? accept([{ type: 'DeadLetterDeleted' }])
      : accept([{ type: 'DeadLetterRetried', messageId: command.messageId }]);
  },
  evolve: () => 'taken',
  wants: () => [],
  isFinal: (state) => state === 'taken',
  // Or replay would forget that it was taken.
  keptWith: (id) => ({ offset: failureOffsetOf(id) }),
};
