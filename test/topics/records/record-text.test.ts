import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { RecordTexts, recordText } from '../../../src/topics/records/record-text.js';
import type { LogRecord } from '../../../storage/format/record.js';

const place = { topic: 'rides', partition: 2 };

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((string) => Buffer.from(string));
const ascii = fc.array(fc.nat(0x7f), { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const rubbish = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const long = fc
  .tuple(fc.oneof(text, rubbish, ascii), fc.integer({ min: 4000, max: 9000 }))
  .map(([bytes, length]) => Buffer.alloc(length, bytes.length === 0 ? 'x' : bytes));
const bytes = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 3, arbitrary: ascii },
  { weight: 2, arbitrary: rubbish },
  long,
  fc.constant(null),
);
const records: fc.Arbitrary<LogRecord> = fc.record({
  offset: fc.maxSafeNat(),
  timestamp: fc.maxSafeNat(),
  key: bytes,
  value: bytes,
  headers: fc.array(
    fc.record({ name: fc.string({ unit: 'binary', maxLength: 5 }), value: bytes }),
    { maxLength: 3 },
  ),
  terms: fc.constant([]),
});
const encodings = fc.constantFrom('text' as const, 'base64' as const);

const record = { offset: 7, timestamp: 9, key: null, value: null, headers: [], terms: [] };

const isText = (found: Buffer | null) => found === null || isUtf8(found);
const isReplaced = ({ key, value, headers }: LogRecord) =>
  !isText(key) || !isText(value) || !headers.every((header) => isText(header.value));

describe('the text of a record', () => {
  it('leaves no field out', () => {
    expect(recordText(record, place)).toBe(
      '{"topic":"rides","partition":2,"offset":7,"timestamp":9,"key":"","value":null,"headers":[]}',
    );
  });

  it('shows key, value and header values as text or as Base64', () => {
    const [key, value] = [Buffer.from('k'), Buffer.from([0xff, 0x22])];
    const headers = [
      { name: 'h', value },
      { name: 'n', value: null },
    ];
    const full = { ...record, key, value, headers };
    expect(JSON.parse(recordText(full, place))).toMatchObject({
      key: 'k',
      value: '\ufffd"',
      headers: [
        { key: 'h', value: '\ufffd"' },
        { key: 'n', value: '' },
      ],
    });
    expect(JSON.parse(recordText(full, place, 'base64'))).toMatchObject({
      key: 'aw==',
      value: '/yI=',
      headers: [
        { key: 'h', value: '/yI=' },
        { key: 'n', value: '' },
      ],
    });
  });
});

describe('the texts of records', () => {
  it('are separated by commas, and count what was replaced', () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 8 }), encodings, (all, encoding) => {
        const texts = new RecordTexts(place, encoding);
        for (const record of all) expect(texts.add(record, Number.POSITIVE_INFINITY)).toBe(true);
        const plain = all.map((record) => recordText(record, place, encoding)).join(',');
        expect(texts.toString()).toBe(plain);
        expect(texts.byteLength).toBe(Buffer.byteLength(plain));
        expect(texts.count).toBe(all.length);
        const replaced = encoding === 'text' ? all.filter(isReplaced).length : 0;
        expect(texts.replacedCount).toBe(replaced);
      }),
      { numRuns: 500 },
    );
  });

  it('show every byte as JSON.stringify does, at any position', () => {
    for (let byte = 0; byte < 0x100; byte += 1) {
      for (let position = 0; position < 9; position += 1) {
        const texts = new RecordTexts(place, 'text');
        const value = Buffer.alloc(9, 'a');
        value[position] = byte;
        texts.add({ ...record, value }, Number.POSITIVE_INFINITY);
        expect(texts.toString()).toBe(recordText({ ...record, value }, place));
      }
    }
  });

  it('show numbers as JSON.stringify does', () => {
    const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
    const wholes = [0, ...powers.flatMap((power) => [power - 1, power]), Number.MAX_SAFE_INTEGER];
    for (const timestamp of [...wholes, -1, 0.5, 1e300]) {
      const texts = new RecordTexts(place, 'text');
      texts.add({ ...record, timestamp }, Number.POSITIVE_INFINITY);
      expect(texts.toString()).toBe(recordText({ ...record, timestamp }, place));
    }
  });

  it('have never more bytes than allowed, and never fewer than possible', () => {
    const limits = fc.integer({ min: 0, max: 30_000 });
    fc.assert(
      fc.property(fc.array(records, { maxLength: 8 }), encodings, limits, (all, encoding, max) => {
        const texts = new RecordTexts(place, encoding);
        const taken: string[] = [];
        for (const record of all) {
          const plain = recordText(record, place, encoding);
          const fits = Buffer.byteLength([...taken, plain].join(',')) <= max;
          expect(texts.add(record, max)).toBe(fits);
          if (fits) taken.push(plain);
        }
        expect(texts.toString()).toBe(taken.join(','));
      }),
      { numRuns: 500 },
    );
  });
});
