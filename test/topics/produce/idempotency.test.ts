import fc from 'fast-check';
import {
  digestOf,
  keyTerm,
  markAmong,
  markTerm,
  parseIdempotencyKey,
} from '../../../src/topics/produce/idempotency.js';
import type { ProduceRecord } from '../../../src/topics/produce/produce.request.js';

describe('an idempotency key', () => {
  it.each(['a', 'x'.repeat(200), '8e03978e-40d5-43dd-bc93-6894a57f9324', ' ~'])(
    'may be %j',
    (text) => expect(parseIdempotencyKey(text)).toEqual({ ok: true, value: text }),
  );

  it.each(['', 'x'.repeat(201), 'é', 'a\tb', 'a\u007fb'])('may not be %j', (text) => {
    expect(parseIdempotencyKey(text)).toMatchObject({ ok: false });
  });
});

describe('the mark of a request', () => {
  it('is read back from among the terms of a record', () => {
    const mark = { partitions: 12, at: 1_767_000_000_000, digest: digestOf([]) };
    expect(markAmong([keyTerm('request:1:2:x'), markTerm(mark)])).toEqual(mark);
    expect(markAmong([keyTerm('k')])).toBeUndefined();
  });
});

const bytes = fc.option(
  fc.uint8Array({ maxLength: 4 }).map((array) => Buffer.from(array)),
  { nil: null },
);
const records: fc.Arbitrary<ProduceRecord[]> = fc.array(
  fc.record({
    topic: fc.constant('t'),
    partition: fc.option(fc.nat(3), { nil: null }),
    key: bytes,
    value: bytes,
    headers: fc.array(fc.record({ name: fc.string({ maxLength: 3 }), value: bytes }), {
      maxLength: 2,
    }),
    timestamp: fc.option(fc.nat(3), { nil: null }),
  }),
  { maxLength: 3 },
);

describe('the digest of records', () => {
  it('is the same for equal records, and for no others', () => {
    const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
    fc.assert(
      fc.property(records, records, (some, others) => {
        expect(digestOf(some)).toBe(digestOf(structuredClone(some).map(fromClone)));
        expect(digestOf(some) === digestOf(others)).toBe(same(some, others));
      }),
      { numRuns: 1000 },
    );
  });

  it('distinguishes where one field ends and the next begins', () => {
    const [a, b] = [Buffer.from('ab'), Buffer.from('a')];
    const record = { topic: 't', partition: null, headers: [], timestamp: null };
    expect(digestOf([{ ...record, key: a, value: Buffer.from('c') }])).not.toBe(
      digestOf([{ ...record, key: b, value: Buffer.from('bc') }]),
    );
  });
});

/** A structured clone's bytes are plain arrays. */
function fromClone(record: ProduceRecord): ProduceRecord {
  const asBuffer = (array: Uint8Array | null) => (array === null ? null : Buffer.from(array));
  const headers = record.headers.map(({ name, value }) => ({ name, value: asBuffer(value) }));
  return { ...record, key: asBuffer(record.key), value: asBuffer(record.value), headers };
}
