import fc from 'fast-check';
import { StoredText } from '../../../src/http/bytes/stored-text.js';

/** Its text, assembled from slices of at most this many bytes. */
function sliced(stored: StoredText, bytesMax?: number): string {
  const chunks: Buffer[] = [];
  for (let start = 0; start < stored.length; ) {
    const { chunk, end } = stored.slice(start, bytesMax);
    expect(end).toBeGreaterThan(start);
    chunks.push(chunk);
    start = end;
  }
  return `"${Buffer.concat(chunks).toString()}"`;
}

const characters = fc.constantFrom(
  'a',
  'é',
  '€',
  '😀',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\u007f',
  '\ufeff',
);

describe('a stored text', () => {
  it('is cut between characters, and escaped like the whole in JSON', () => {
    const texts = fc.string({ unit: characters, minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(texts, fc.nat({ max: 30 }), (text, more) => {
        const stored = new StoredText(Buffer.from(text), 'utf8');
        expect(sliced(stored, 4 + more)).toBe(JSON.stringify(text));
        expect(JSON.stringify(stored)).toBe(JSON.stringify(text));
        expect(stored.weight).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('is one text in base64, wherever it is cut', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, fc.integer({ min: 2, max: 10 }), (body, triples) => {
        const stored = new StoredText(body, 'base64');
        const whole = JSON.stringify(body.toString('base64'));
        expect(sliced(stored, triples * 3)).toBe(whole);
        expect(JSON.stringify(stored)).toBe(whole);
        expect(stored.weight).toBe(whole.length - 2);
      }),
    );
  });

  it('is cut correctly in slices of the size that answers use', () => {
    for (const character of ['a', 'é', '€', '😀']) {
      for (let shift = 0; shift < 4; shift += 1) {
        const text = 'x'.repeat(shift) + character.repeat(100_000);
        const isSame = sliced(new StoredText(Buffer.from(text), 'utf8')) === JSON.stringify(text);
        expect(isSame).toBe(true);
      }
    }
    const bytes = Buffer.alloc(1_000_000, 0xff);
    expect(sliced(new StoredText(bytes, 'base64')) === `"${bytes.toString('base64')}"`).toBe(true);
  });
});
