import fc from 'fast-check';
import type { DeadLetterCommand } from '../../../src/messaging/dead-letters/dead-letter.commands.js';
import { deadLetterDecider } from '../../../src/messaging/dead-letters/dead-letter.decider.js';
import { DeadLetters } from '../../../src/messaging/dead-letters/dead-letter.entity.js';
import type { MessageCommand } from '../../../src/messaging/messages/message.commands.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { commandsTo, historyStart } from '../../support/deciders/histories.js';
import {
  publish,
  recordAttempt,
  registerMessages,
} from '../../support/deciders/message-histories.js';

/** The id gives the position of the letter in the listing. */
const letterCommands = commandsTo<DeadLetterCommand>(
  deadLetterDecider.kind,
  fc.record({
    type: fc.constantFrom('DeleteDeadLetter' as const, 'RetryDeadLetter' as const),
    id: fc.constantFrom('0', '0', '1'),
    messageId: fc.constant('msg_again'),
  }),
);

/** Messages whose only attempt usually fails. */
const failures = commandsTo<MessageCommand>(
  messageKind,
  fc.oneof(
    publish.map(({ message, ...command }) => ({
      ...command,
      message: { ...message, maxRetries: 0, deduplicationKey: null },
    })),
    recordAttempt.map(({ record, ...command }) => ({
      ...command,
      record: { ...record, attempt: 0, status: record.status === 200 ? 200 : 500 },
    })),
  ),
);

const lettersKeptMs = 20 * 60_000;

describeLaws({
  decider: deadLetterDecider,
  commands: fc.oneof({ weight: 3, arbitrary: failures }, letterCommands),
  register(engine) {
    const retention = { deadLetterRetentionMs: lettersKeptMs };
    const { letters } = new DeadLetters(engine, registerMessages(engine), retention);
    return {
      get all() {
        return letters.all(historyStart);
      },
    };
  },
  address: (command, { all }) =>
    command.kind === deadLetterDecider.kind
      ? { ...command, id: all[Number(command.id)]?.id ?? 'no-letter' }
      : command,
});
