import fc from 'fast-check';
import type { Redaction } from '../../src/grammar/redaction-fields.js';
import { parseRedaction } from '../../src/grammar/redaction-fields.js';

describe('the fields that are not shown', () => {
  it.each([
    ['body', { body: true, headers: [] }],
    ['header', { body: false, headers: ['*'] }],
    ['headers', { body: false, headers: ['*'] }],
    ['header[Authorization]', { body: false, headers: ['authorization'] }],
    ['headers[X-B], header[x-a] ,body', { body: true, headers: ['x-a', 'x-b'] }],
    ['header[a],header[A],body,body', { body: true, headers: ['a'] }],
    ['header[a],headers', { body: false, headers: ['*'] }],
    ['header[*]', { body: false, headers: ['*'] }],
  ])('"%s" are %j', (text, value) => {
    expect(parseRedaction(text)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    ' ',
    ',',
    'body,',
    'Body',
    'bodies',
    'header[]',
    'header[a b]',
    'header[a',
    'header[a]]',
    'body[a]',
    'header[é]',
    `header[${'a'.repeat(257)}]`,
  ])('"%s" is refused', (text) => {
    expect(parseRedaction(text).ok).toBe(false);
  });

  const token = fc.stringMatching(/^[!#$%&'+.^_`|~0-9a-z-]{1,20}$/);
  const redactions: fc.Arbitrary<Redaction> = fc
    .record({
      body: fc.boolean(),
      headers: fc.oneof(
        fc.constant(['*']),
        fc.uniqueArray(token, { maxLength: 20 }).map((names) => names.sort()),
      ),
    })
    .filter(({ body, headers }) => body || headers.length > 0);

  /** Any spelling of a redaction: order, blanks, singular and plural, case of names. */
  const spelled = (redaction: Redaction) =>
    fc
      .record({
        order: fc.array(fc.nat(), { minLength: 21, maxLength: 21 }),
        word: fc.constantFrom('header', 'headers'),
        blanks: fc.constantFrom('', ' ', '\t '),
        loud: fc.boolean(),
      })
      .map(({ order, word, blanks, loud }) => {
        const name = (header: string) => `${word}[${loud ? header.toUpperCase() : header}]`;
        const names = redaction.headers.map((header) => (header === '*' ? word : name(header)));
        return [...(redaction.body ? ['body'] : []), ...names]
          .map((text, index) => ({ text: `${blanks}${text}${blanks}`, at: order[index] ?? 0 }))
          .sort((one, other) => one.at - other.at)
          .map(({ text }) => text)
          .join(',');
      });

  it('are read back from every way to write them', () => {
    fc.assert(
      fc.property(
        redactions.chain((redaction) => fc.tuple(fc.constant(redaction), spelled(redaction))),
        ([redaction, text]) => {
          expect(parseRedaction(text)).toEqual({ ok: true, value: redaction });
        },
      ),
    );
  });

  it('are at most 64, and any text is judged without throwing', () => {
    expect(parseRedaction(Array(64).fill('header[a]').join(',')).ok).toBe(true);
    expect(parseRedaction(Array(65).fill('header[a]').join(',')).ok).toBe(false);
    expect(parseRedaction(','.repeat(10_000_000)).ok).toBe(false);
    expect(parseRedaction(`header[${'a'.repeat(10_000_000)}`).ok).toBe(false);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const result = parseRedaction(text);
        expect(result.ok || result.message !== '').toBe(true);
      }),
    );
  });
});
