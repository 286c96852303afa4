import fc from 'fast-check';
import { cursorAt } from '../../../src/http/cursor.js';
import {
  formatCursor,
  type LogCursor,
  parseCursor,
} from '../../../src/messaging/logs/log-cursor.js';

const whole = fc.integer({ min: 0, max: 999_999_999_999_999 });
const cursors: fc.Arbitrary<LogCursor> = fc.oneof(
  fc.record({ at: fc.constant('journal' as const), offset: whole, place: fc.nat(2) }),
  fc.record({
    at: fc.constant('running' as const),
    startedAt: whole,
    messageId: fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/),
    journalEnd: whole,
  }),
);

describe('a cursor', () => {
  it('is parsed back to what it was formatted from', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        expect(parseCursor(formatCursor(cursor))).toEqual({ ok: true, value: cursor });
      }),
    );
  });

  it.each([
    '',
    '7',
    '7-3',
    '-1-0',
    '7-0 ',
    '1e3-0',
    '7-8',
    '7-8-',
    '7-8-a b',
    `${'9'.repeat(16)}-0`,
  ])('is invalid if it says %j', (place) => {
    const refusal = { ok: false, message: 'is not a cursor of this listing' };
    expect(parseCursor(cursorAt(place))).toMatchObject(refusal);
    expect(parseCursor(place)).toMatchObject(refusal);
  });
});
