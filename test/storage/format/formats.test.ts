import * as fc from 'fast-check';
import { decodeRecords, type LogRecord, type RecordInput } from '../../../storage/format/record.js';
import { bodyFault, decodeBatchHeader, sealBatch } from '../../../storage/format/record-batch.js';
import { encodeRecord, recordLength } from '../../../storage/format/record-encoding.js';
import { findStored, hashTerm, KeyIndex, TermList } from '../../../storage/index/key-index.js';
import { OffsetIndex } from '../../../storage/index/segment-index.js';

const runs = 100 * Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 5);

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const nullable = fc.option(bytes, { nil: null });
/** Short texts are written differently than long ones, and ASCII differently than the rest. */
const anyText = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const anyRecord: fc.Arbitrary<RecordInput> = fc.record({
  key: fc.oneof(nullable, anyText),
  value: nullable,
  headers: fc.array(fc.record({ name: anyText, value: nullable }), { maxLength: 4 }),
  timestamp: fc.double({ noNaN: true, noDefaultInfinity: true }),
  terms: fc.array(anyText, { maxLength: 4 }),
});

function encoded(records: readonly RecordInput[]): Buffer {
  const body = Buffer.alloc(records.reduce((sum, record) => sum + recordLength(record), 0));
  let position = 0;
  for (const [index, record] of records.entries()) {
    const end = encodeRecord(body, position, record, index, record.timestamp ?? 0);
    expect(end - position).toBe(recordLength(record));
    position = end;
  }
  return body;
}

/** Terms are read on demand and are no property of the object. */
const fieldsOf = ({ offset, timestamp, key, value, headers, terms }: LogRecord) => ({
  offset,
  timestamp,
  key,
  value,
  headers,
  terms,
});

describe('a record', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 5 }), (records) => {
        const read = decodeRecords(encoded(records), 1000);
        expect(read.map(fieldsOf)).toEqual(
          records.map(({ key, ...record }, index) => ({
            ...record,
            key: typeof key === 'string' ? Buffer.from(key) : key,
            offset: 1000 + index,
          })),
        );
      }),
      { numRuns: runs },
    );
  });

  it('is refused with a RangeError if the bytes are not in its grammar', () => {
    fc.assert(
      fc.property(
        fc.array(anyRecord, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        bytes,
        (records, at, junk) => {
          const body = encoded(records);
          junk.copy(body, at % body.length);
          try {
            decodeRecords(body, 0);
          } catch (error) {
            // By name: the Buffer's own RangeError comes from outside Jest's realm.
            expect(error).toMatchObject({ name: 'RangeError' });
          }
        },
      ),
      { numRuns: runs },
    );
  });

  it('has a finite timestamp', () => {
    expect(() => recordLength({ key: null, value: null, timestamp: Number.NaN })).toThrow(
      RangeError,
    );
  });
});

describe('a record batch', () => {
  const sealed = () => {
    const body = encoded([{ key: null, value: Buffer.from('value'), timestamp: 5 }]);
    const batch = Buffer.concat([Buffer.alloc(88), body, Buffer.alloc(7)]);
    sealBatch(
      batch,
      0,
      {
        bodyLength: body.length,
        baseOffset: 2 ** 53 - 10,
        nextOffset: 2 ** 53 - 9,
        recordCount: 1,
        appendTime: 7,
        maxTimestamp: 5,
      },
      {
        rewritten: false,
        epoch: 3,
        filePosition: 64,
        durablePosition: 64,
        previousChecksum: 9,
        logTag: 11,
      },
    );
    return batch;
  };

  it('keeps offsets up to 2^53', () => {
    expect(decodeBatchHeader(sealed(), 0)).toMatchObject({
      baseOffset: 2 ** 53 - 10,
      nextOffset: 2 ** 53 - 9,
      epoch: 3,
      previousChecksum: 9,
      maxTimestamp: 5,
    });
  });

  it('is not intact with any bit flipped, padding included', () => {
    const header = decodeBatchHeader(sealed(), 0);
    const length = header === null ? 0 : (88 + header.bodyLength + 7) & ~7;
    expect(length).toBeGreaterThan(88);
    for (let bit = 0; bit < length * 8; bit += 1) {
      const batch = sealed();
      batch[bit >> 3] = (batch[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const found = decodeBatchHeader(batch, 0);
      const fault = found === null ? 'header' : bodyFault(batch, 88, found);
      if (fault === null) throw new Error(`bit ${bit} was not noticed`);
    }
  });
});

describe('the key index', () => {
  it('finds what a list of the same terms finds, also after a round trip', async () => {
    const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(1000)));
    await fc.assert(
      fc.asyncProperty(entries, async (pairs) => {
        const terms = new TermList();
        const rising = pairs.sort((one, two) => one[1] - two[1]);
        for (const [term, offset] of rising) terms.add(hashTerm(term), offset);
        const bytes = Buffer.from(KeyIndex.build(terms).encode());
        const index = KeyIndex.decode(bytes);
        const read = async ({ position = 0, length = 0 }) =>
          bytes.subarray(position, position + length);
        for (const term of ['a', 'b', 'c', 'd', 'e', 'f']) {
          const expected = rising.filter(([other]) => other === term).map(([, offset]) => offset);
          expect(terms.find(hashTerm(term))).toEqual(expected);
          expect(index.find(hashTerm(term))).toEqual(expected);
          expect(await findStored(hashTerm(term), index, read)).toEqual(expected);
          expect(index.toTerms().find(hashTerm(term))).toEqual(expected);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe('the offset index', () => {
  it('never points behind the batch that is wanted, and at most an interval before it', () => {
    const batches = fc.array(
      fc.record({
        records: fc.integer({ min: 1, max: 50 }),
        bytes: fc.integer({ min: 100, max: 40_000 }),
        time: fc.integer(),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(batches, (list) => {
        const index = new OffsetIndex();
        const placed: { offset: number; position: number; time: number }[] = [];
        let [offset, position] = [0, 64];
        for (const { records, bytes: length, time } of list) {
          index.add(offset, position, time);
          placed.push({ offset, position, time });
          offset += records;
          position += length;
        }
        const copy = OffsetIndex.decode(index.encode(), 0);
        for (const batch of placed) {
          const start = index.positionOf(batch.offset);
          expect(copy.positionOf(batch.offset)).toBe(start);
          expect(start).toBeLessThanOrEqual(batch.position);
          expect(placed.some((other) => other.position === start)).toBe(true);
          const first = placed.find((other) => other.time >= batch.time);
          expect(index.positionOfTime(batch.time)).toBeLessThanOrEqual(first?.position ?? 0);
        }
      }),
      { numRuns: runs },
    );
  });
});
