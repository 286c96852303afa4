import {
  parseFetch,
  parseOffsetQuery,
  parseTopicPartitions,
} from '../../src/topics/fetch.request.js';
import { parseProduce, recordOfPath } from '../../src/topics/produce.request.js';

const refusal = (result: { ok: boolean; reason?: string }) => (result.ok ? null : result.reason);

describe('a produce', () => {
  const plain = { partition: null, key: null, headers: [], timestamp: null };

  it('takes one record or many, for the topic of the path or their own', () => {
    expect(parseProduce({ value: 'v' }, 'rides')).toEqual({
      ok: true,
      value: [{ ...plain, topic: 'rides', value: Buffer.from('v') }],
    });
    expect(
      parseProduce(
        [
          { topic: 'a', value: 'v', partition: 2 },
          { topic: 'b', value: null },
        ],
        null,
      ),
    ).toMatchObject({
      value: [
        { topic: 'a', partition: 2 },
        { topic: 'b', value: null },
      ],
    });
    expect(parseProduce([], null)).toEqual({ ok: true, value: [] });
  });

  it('keeps key, timestamp and headers, in order and repeated', () => {
    const headers = [
      { key: 'h', value: '1' },
      { key: 'h', value: null },
    ];
    expect(parseProduce({ value: 'v', key: 'k', timestamp: 0, headers }, 't')).toMatchObject({
      value: [
        {
          key: Buffer.from('k'),
          timestamp: 0,
          headers: [
            { name: 'h', value: Buffer.from('1') },
            { name: 'h', value: null },
          ],
        },
      ],
    });
  });

  it('takes an empty key for no key', () => {
    expect(parseProduce({ value: 'v', key: '' }, 't')).toMatchObject({ value: [{ key: null }] });
    expect(recordOfPath('t', 'hello there', 'k1')).toMatchObject({
      key: Buffer.from('k1'),
      value: Buffer.from('hello there'),
    });
  });

  it.each([
    [null, 'must be an object'],
    ['v', 'must be an object'],
    [{}, 'value must be a string or null'],
    [{ value: 1 }, 'value must be a string or null'],
    [{ value: 'v', key: 1 }, 'key must be a string'],
    [{ value: 'v', partition: -1 }, 'partition must be'],
    [{ value: 'v', partition: '1' }, 'partition must be'],
    [{ value: 'v', timestamp: 1.5 }, 'timestamp must be'],
    [{ value: 'v', topic: 'other' }, 'is not the topic of the path'],
    [{ value: 'v', topic: 1 }, 'topic must be a string'],
    [{ value: 'v', headers: {} }, 'headers must be an array'],
    [{ value: 'v', headers: [null] }, 'every header has a key'],
    [{ value: 'v', headers: [{ key: 'k'.repeat(4097) }] }, 'at most 4096 characters'],
    [{ value: 'v', headers: [{ key: 'k', value: 1 }] }, 'every header has a value'],
    [[{ value: 'v' }, { value: 2 }], 'record 1: value must be'],
    [Array(10_001).fill({ value: 'v' }), 'at most 10000 records'],
  ])('of %j is refused: %s', (body, reason) => {
    expect(refusal(parseProduce(body, 'rides'))).toContain(reason);
  });

  it('without a topic anywhere is refused', () => {
    expect(refusal(parseProduce({ value: 'v' }, null))).toContain('topic is missing');
  });
});

describe('a fetch', () => {
  it('reads the listed positions first, the inline one last', () => {
    expect(
      parseFetch({
        topic: 'a',
        partition: 0,
        offset: 5,
        timeout: 0,
        topicPartitionOffsets: [{ topic: 'b', partition: 1, offset: 3 }],
      }),
    ).toEqual({
      ok: true,
      value: {
        timeoutMs: 0,
        positions: [
          { topic: 'b', partition: 1, offset: 3 },
          { topic: 'a', partition: 0, offset: 5 },
        ],
      },
    });
  });

  it('waits a second unless told, and a minute at most', () => {
    const position = { topic: 'a', partition: 0, offset: 0 };
    expect(parseFetch(position)).toMatchObject({ value: { timeoutMs: 1000 } });
    expect(parseFetch({ ...position, timeout: 1e9 })).toMatchObject({
      value: { timeoutMs: 60_000 },
    });
  });

  it.each([
    [[], 'must be an object'],
    [{}, 'are missing'],
    [{ topic: 'a', partition: 0 }, 'offset must be'],
    [{ topic: 'a', partition: 0, offset: -1 }, 'offset must be'],
    [{ topic: 'a', partition: 'x', offset: 0 }, 'partition must be'],
    [{ topic: 1, partition: 0, offset: 0 }, 'topic must be'],
    [{ topic: 'a', partition: 0, offset: 0, timeout: -1 }, 'timeout must be'],
    [{ topicPartitionOffsets: {} }, 'must be an array'],
    [
      {
        topic: 'a',
        partition: 0,
        offset: 0,
        topicPartitionOffsets: [{ topic: 'a', partition: 0, offset: 1 }],
      },
      'twice',
    ],
  ])('of %j is refused: %s', (body, reason) => {
    expect(refusal(parseFetch(body))).toContain(reason);
  });
});

describe('an offset lookup', () => {
  it('is by word or by Unix milliseconds', () => {
    expect(parseOffsetQuery('earliest')).toEqual({ ok: true, value: 'earliest' });
    expect(parseOffsetQuery('1718000000')).toEqual({ ok: true, value: 1_718_000_000 });
    for (const text of ['', '-1', 'soon', '1.5', '9'.repeat(17)]) {
      expect(refusal(parseOffsetQuery(text))).toContain('must be earliest, latest');
    }
  });

  it('takes one partition or an array', () => {
    expect(parseTopicPartitions({ topic: 'a', partition: 0 })).toMatchObject({ ok: true });
    expect(parseTopicPartitions([{ topic: 'a', partition: 0 }])).toMatchObject({ ok: true });
    expect(refusal(parseTopicPartitions([null]))).toContain('topic must be');
  });
});
