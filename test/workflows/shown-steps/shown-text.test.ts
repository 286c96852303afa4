import fc from 'fast-check';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { shownText } from '../../../src/workflows/shown-steps/shown-text.js';

describe('a text', () => {
  it('is shown whole, or not at all', () => {
    expect(shownText('größer', null, false)).toBe('größer');
    expect(shownText('größer', -1, false)).toBeUndefined();
    expect(shownText(null, null, false)).toBeUndefined();
    expect(shownText(Buffer.alloc(0), null, true)).toBeUndefined();
  });

  it('is never cut in the middle of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(20), (text, bytes) => {
        const shown = shownText(Buffer.from(text), bytes, false) ?? '';
        expect(text.startsWith(shown)).toBe(true);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytes);
        // One more character would not have fitted.
        const next = [...text].slice([...shown].length)[0];
        if (next !== undefined) expect(Buffer.byteLength(shown + next)).toBeGreaterThan(bytes);
      }),
    );
  });

  it('that is redacted is shown as its digest, which is never cut', () => {
    expect(shownText('secret', 3, true)).toBe(redacted('secret'));
    expect(shownText('secret', -1, true)).toBeUndefined();
  });
});
