/**
 * Decides when a dead letter may be removed: while it exists. It exists because of the failure of
 * its message, so decisions read the index of failures.
 */
import { accept, type Decider } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { failureOffsetOf } from '../messages/dead-letter-id.js';
import type { DeadLetterCommand } from './dead-letter.commands.js';
import { type DeadLetterEvent, deadLetterKind } from './dead-letter.events.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { LetterIndex } from './letter-index.js';

/** The state of a letter according to its own events; a removed letter is final. */
export type DeadLetterState = 'untouched' | 'taken';

/** The index that the decisions about a letter read. */
export type DeadLetterView = Pick<LetterIndex<DeadLetter>, 'find'>;

/** Answers 404 for a letter that does not exist, was removed, or is older than its retention. */
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
  // Otherwise replay would forget that the letter was removed.
  keptWith: (id) => ({ offset: failureOffsetOf(id) }),
};
