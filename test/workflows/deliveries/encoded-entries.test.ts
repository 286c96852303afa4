import fc from 'fast-check';
import { EncodedEntries } from '../../../src/workflows/deliveries/encoded-entries.js';

const entries = fc.array(
  fc.record({
    messageId: fc.string({ unit: 'binary', maxLength: 40 }),
    body: fc.option(fc.uint8Array({ maxLength: 1200 }).map((bytes) => Buffer.from(bytes))),
  }),
  { maxLength: 8 },
);

const expected = (list: readonly { messageId: string; body: Buffer | null }[]) =>
  list.map(({ messageId, body }) => ({
    messageId,
    body: body?.toString('base64') ?? '',
    callType: 'step',
  }));

describe('encoded entries', () => {
  it('give the JSON array of any number of first entries, at any time', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const encoded = new EncodedEntries(7);
        const cuts = list.map(({ messageId, body }, index) => {
          encoded.add(messageId, body);
          return encoded.upTo(index + 1);
        });
        expect(encoded.length).toBe(list.length);
        cuts.forEach((cut, index) => {
          const array = JSON.parse(cut.toString()) as unknown;
          expect(array).toEqual(expected(list.slice(0, index + 1)));
          // Cutting later gives the same as cutting at once.
          expect(encoded.upTo(index + 1).equals(cut)).toBe(true);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('are an empty array before the first one', () => {
    expect(new EncodedEntries(0).upTo(0).toString()).toBe('[]');
  });

  it('report their size in memory', () => {
    const encoded = new EncodedEntries(0);
    encoded.add('msg_1', Buffer.alloc(100_000));
    expect(encoded.weight).toBeGreaterThanOrEqual(encoded.upTo(1).length);
    expect(encoded.weight).toBeLessThan(300_000);
  });
});
