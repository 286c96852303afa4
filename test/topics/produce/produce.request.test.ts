import fc from 'fast-check';
import { Refusal } from '../../../src/grammar/result.js';
import {
  type ProduceDefaults,
  parseItems,
  readRecord,
  recordOfPath,
} from '../../../src/topics/produce/produce.request.js';
import { bytesOf, readEncoding } from '../../../src/topics/records/record-text.js';

const defaults: ProduceDefaults = { topic: 'rides', encoding: 'text', recordBytesMax: 1000 };
const plain = { partition: null, key: null, headers: [], timestamp: null };

describe('a record', () => {
  it('goes to the topic of the path or to its own', () => {
    const record = { ...plain, value: Buffer.from('v') };
    expect(readRecord({ value: 'v' }, defaults)).toEqual({ ...record, topic: 'rides' });
    expect(readRecord({ value: 'v', topic: 'rides' }, defaults)).toEqual({
      ...record,
      topic: 'rides',
    });
    expect(readRecord({ value: 'v', topic: 'bills' }, { ...defaults, topic: null })).toEqual({
      ...record,
      topic: 'bills',
    });
  });

  it('keeps key, partition, timestamp and headers, in order and repeated', () => {
    const headers = [{ key: 'h', value: '1' }, { key: 'h', value: null }, { key: 'h' }];
    const item = { value: 'v', key: 'k', timestamp: 0, partition: 2, headers };
    expect(readRecord(item, defaults)).toMatchObject({
      key: Buffer.from('k'),
      timestamp: 0,
      partition: 2,
      headers: [
        { name: 'h', value: Buffer.from('1') },
        { name: 'h', value: null },
        { name: 'h', value: null },
      ],
    });
  });

  it('of value null is a tombstone', () => {
    expect(readRecord({ value: null, key: 'k' }, defaults)).toMatchObject({ value: null });
  });

  it('treats an empty key as no key, in either encoding', () => {
    expect(readRecord({ value: 'v', key: '' }, defaults)).toMatchObject({ key: null });
    expect(readRecord({ value: '', key: '', encoding: 'base64' }, defaults)).toMatchObject({
      key: null,
      value: Buffer.alloc(0),
    });
    expect(recordOfPath('t', 'hello there', 'k1')).toMatchObject({
      key: Buffer.from('k1'),
      value: Buffer.from('hello there'),
    });
  });

  it('may have any bytes as Base64 in key, value and header values, but not in names', () => {
    const bytes = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.boolean(), (key, value, header, isOwn) => {
        const item = {
          key: key.toString('base64'),
          value: value.toString('base64'),
          headers: [{ key: 'bmFtZQ==', value: header.toString('base64') }],
          ...(isOwn && { encoding: 'base64' }),
        };
        const encoding = isOwn ? 'text' : 'base64';
        expect(readRecord(item, { ...defaults, encoding })).toMatchObject({
          key: key.length === 0 ? null : key,
          value,
          headers: [{ name: 'bmFtZQ==', value: header }],
        });
      }),
    );
  });

  it.each([
    [null, 'must be an object'],
    ['v', 'must be an object'],
    [{}, 'value must be a string or null'],
    [{ value: 1 }, 'value must be a string or null'],
    [{ value: {} }, 'value must be a string or null'],
    [{ value: 'v', key: 1 }, 'key must be a string'],
    [{ value: 'v', key: ['k'] }, 'key must be a string'],
    [{ value: 'v', partition: -1 }, 'partition must be'],
    [{ value: 'v', partition: '1' }, 'partition must be'],
    [{ value: 'v', timestamp: 1.5 }, 'timestamp must be'],
    [{ value: 'v', timestamp: 253_402_300_800_000 }, 'timestamp is beyond the year 9999'],
    [{ value: 'v', timestamp: Number.MAX_SAFE_INTEGER }, 'timestamp is beyond the year 9999'],
    [{ value: 'a\ud83c' }, 'value contains an unpaired surrogate'],
    [{ value: '\udf55\ud83c' }, 'value contains an unpaired surrogate'],
    [{ value: 'v', key: '\ud83c' }, 'key contains an unpaired surrogate'],
    [
      { value: 'v', headers: [{ key: '\ud83c', value: 'v' }] },
      'headers[0].key contains an unpaired surrogate',
    ],
    [
      { value: 'v', headers: [{ key: 'k', value: '\ud83c' }] },
      'headers[0].value contains an unpaired surrogate',
    ],
    [{ value: 'v', topic: 'other' }, 'is not the topic of the path'],
    [{ value: 'v', topic: 1 }, 'topic must be a string'],
    [{ value: 'v', headers: {} }, 'headers must be an array'],
    [{ value: 'v', headers: [null] }, 'headers[0].key must be a string'],
    [{ value: 'v', headers: [{ key: 'a' }, { key: 1 }] }, 'headers[1].key must be a string'],
    [{ value: 'v', headers: [{ key: 'k'.repeat(4097) }] }, 'at most 4096 characters'],
    [{ value: 'v', headers: [{ key: 'k', value: 1 }] }, 'headers[0].value must be a string'],
    [{ value: 'v', headers: Array(257).fill({ key: 'k' }) }, 'more than 256'],
    [{ value: 'v', encoding: 'hex' }, 'encoding must be'],
    [{ value: 'a', encoding: 'base64' }, 'value is not Base64'],
    [{ value: 'YQ', encoding: 'base64' }, 'value is not Base64'],
    [{ value: 'Y?==', encoding: 'base64' }, 'value is not Base64'],
    [{ value: 'YQ==', key: '-_==', encoding: 'base64' }, 'key is not Base64'],
    [
      { value: 'YQ==', headers: [{ key: 'h', value: '=' }], encoding: 'base64' },
      'headers[0].value is not Base64',
    ],
  ])('like %j is refused: %s', (item, reason) => {
    const message = expect.stringContaining(reason);
    expect(readRecord(item, defaults)).toEqual(new Refusal('invalid', message));
  });

  it('without a topic anywhere is refused', () => {
    expect(readRecord({ value: 'v' }, { ...defaults, topic: null })).toMatchObject(
      new Refusal('invalid', 'topic is missing'),
    );
  });

  it('is too large by the sum of its bytes, in whatever fields', () => {
    const read = (item: object) => readRecord(item, { ...defaults, recordBytesMax: 10 });
    expect(read({ value: 'x'.repeat(9), key: 'k' })).not.toHaveProperty('code');
    expect(read({ value: 'x'.repeat(10), key: 'k' })).toMatchObject({ code: 'too_large' });
    expect(read({ value: 'é'.repeat(6) })).toMatchObject({ code: 'too_large' });
    expect(read({ value: 'eHh4eHh4eHh4eA==', encoding: 'base64' })).not.toHaveProperty('code');
    expect(read({ value: '12345', headers: [{ key: '123', value: '123' }] })).toMatchObject({
      code: 'too_large',
    });
  });
});

describe('a produce', () => {
  it('contains one record, many or none', () => {
    expect(parseItems({ value: 'v' })).toEqual({ ok: true, value: [{ value: 'v' }] });
    expect(parseItems([1, 2])).toEqual({ ok: true, value: [1, 2] });
    expect(parseItems([])).toEqual({ ok: true, value: [] });
    expect(parseItems(Array(10_001).fill({}))).toMatchObject({
      ok: false,
      message: expect.stringContaining('at most 10000'),
    });
  });

  it('sets the encoding of all its records', () => {
    expect(readEncoding(['Host', 'x'])).toEqual({ ok: true, value: 'text' });
    expect(readEncoding(['stream-encoding', 'base64'])).toEqual({ ok: true, value: 'base64' });
    expect(readEncoding(['Kafka-Encoding', 'Base64'])).toEqual({ ok: true, value: 'base64' });
    expect(readEncoding(['Stream-Encoding', 'hex'])).toMatchObject({ ok: false });
    expect(bytesOf('', 'base64')).toEqual(Buffer.alloc(0));
  });
});
