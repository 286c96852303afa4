import {
  deadLetterId,
  failureOffsetOf,
  markedLetterId,
} from '../../../src/messaging/messages/dead-letter-id.js';

describe('the id of a dead letter', () => {
  const id = deadLetterId({ at: 1_767_000_000_000, offset: 42 });

  it('holds the time of the failure, its journal offset and its shard', () => {
    expect(id).toBe('1767000000000-42s00');
    expect(failureOffsetOf(id)).toBe(42);
  });

  it('without a mark is read as one of the first shard', () => {
    expect(markedLetterId('1767000000000-42')).toBe(id);
    expect(failureOffsetOf('1767000000000-42')).toBe(42);
  });

  it.each([id, '1767000000000-42s07', '', 'x', '1-2-3', '1-', '-1', '1-2s', ' 1-2'])(
    'is left unchanged: %j',
    (given) => {
      expect(markedLetterId(given)).toBe(given);
    },
  );

  it.each(['', 'x', '1-2-3', '1-', '-1', '1-2s', '1-2s000'])('names no failure in %j', (given) => {
    expect(failureOffsetOf(given)).toBeNaN();
  });
});
