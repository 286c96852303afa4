import fc from 'fast-check';
import { cursorAt, cursorFilter, offsetPlace, readCursor } from '../../src/http/cursor.js';

const refusal = { ok: false, message: 'is not a cursor of this listing' };
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });

describe('a cursor', () => {
  it('holds the position that it was made for', () => {
    fc.assert(
      fc.property(ascii, (place) => {
        expect(readCursor(cursorAt(place), (said) => said)).toEqual({ ok: true, value: place });
      }),
    );
  });

  it('can be used in a query unencoded', () => {
    fc.assert(fc.property(ascii, (place) => expect(cursorAt(place)).toMatch(/^[A-Za-z0-9_-]+$/)));
  });

  it('contains its shard', () => {
    expect(Buffer.from(cursorAt(17), 'base64url').toString()).toBe('0017');
  });

  it.each([
    '',
    '17',
    'x',
    `${cursorAt(17)}=`,
    `${cursorAt(17)} `,
    `${cursorAt(17)}!`,
    Buffer.from('17').toString('base64url'),
    Buffer.from('0117').toString('base64url'),
    cursorAt('seventeen'),
    cursorAt('9'.repeat(16)),
  ])('is not %j in a listing by offsets', (text) => {
    expect(readCursor(text, offsetPlace)).toMatchObject(refusal);
  });

  it('is a filter that may be absent', () => {
    const read = cursorFilter(offsetPlace);
    expect(read([])).toEqual({ ok: true, value: null });
    expect(read([cursorAt(17)])).toEqual({ ok: true, value: 17 });
    expect(read(['17'])).toMatchObject(refusal);
  });
});
