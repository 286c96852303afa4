import type { Command } from '../../../src/engine/decider.js';
import { deadLetterDecider } from '../../../src/messaging/dead-letters/dead-letter.decider.js';
import type { DeadLetter } from '../../../src/messaging/dead-letters/dead-letters.projection.js';
import { epochMs, given } from '../../support/given.js';

const letter: DeadLetter = {
  id: 'it',
  messageId: 'msg_1',
  at: epochMs,
  offset: 9,
  publishedOffset: 7,
  responseStatus: 500,
};
const there = { find: (id: string) => (id === letter.id ? letter : undefined) };
const gone = { find: () => undefined };
const address = { kind: 'dead-letter', id: 'it', at: epochMs } satisfies Omit<Command, 'type'>;

describe('a dead letter', () => {
  it('can be deleted and is then final', () => {
    const { events, isFinal, wants } = given(deadLetterDecider, there).when({
      ...address,
      type: 'DeleteDeadLetter',
    });
    expect(events).toEqual([{ type: 'DeadLetterDeleted' }]);
    expect(isFinal).toBe(true);
    expect(wants).toEqual([]);
  });

  it('can be retried and remembers the id of the new message', () => {
    const { events, isFinal } = given(deadLetterDecider, there).when({
      ...address,
      type: 'RetryDeadLetter',
      messageId: 'msg_2',
    });
    expect(events).toEqual([{ type: 'DeadLetterRetried', messageId: 'msg_2' }]);
    expect(isFinal).toBe(true);
  });

  it.each([
    { ...address, type: 'DeleteDeadLetter' as const },
    { ...address, type: 'RetryDeadLetter' as const, messageId: 'msg_2' },
  ])('cannot be deleted or retried if it does not exist: $type', (command) => {
    expect(given(deadLetterDecider, gone).when(command).rejected).toEqual({
      code: 'not_found',
      message: 'dead letter it not found',
    });
  });

  it('is looked up as of the time of the command', () => {
    const lookups: [string, number][] = [];
    const view = {
      find(id: string, at: number) {
        lookups.push([id, at]);
        return undefined;
      },
    };
    given(deadLetterDecider, view).when({ ...address, type: 'DeleteDeadLetter' });
    expect(lookups).toEqual([['it', epochMs]]);
  });
});
