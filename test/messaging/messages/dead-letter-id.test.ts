import {
  deadLetterId,
  failureOffsetOf,
  markedLetterId,
} from '../../../src/messaging/messages/dead-letter-id.js';

describe('the id of a dead letter', () => {
  const id = deadLetterId({ at: 1_767_000_000_000, offset: 42 });

  it('says when its message failed, where the journal says so, and its shard', () => {
    expect(id).toBe('1767000000000-42s00');
    expect(failureOffsetOf(id)).toBe(42);
  });

  it('without a mark is read as the first shard’s', () => {
    expect(markedLetterId('1767000000000-42')).toBe(id);
    expect(failureOffsetOf('1767000000000-42')).toBe(42);
  });

  it.each([id, '1767000000000-42s07', '', 'x', '1-2-3', '1-', '-1', '1-2s', ' 1-2'])(
    'leaves %j as it is',
    (given) => {
      expect(markedLetterId(given)).toBe(given);
    },
  );

  it.each(['', 'x', '1-2-3', '1-', '-1', '1-2s', '1-2s000'])('names no failure in %j', (given) => {
    expect(failureOffsetOf(given)).toBeNaN();
  });
});
