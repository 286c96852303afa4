import type { Result } from '../../../src/grammar/result.js';
import {
  parseFetch,
  parseOffsetQuery,
  parseTopicPartitions,
} from '../../../src/topics/fetch/fetch.request.js';

const refusal = (result: Result<unknown>) => (result.ok ? null : result.message);

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
        maxRecords: 500,
        maxBytes: 50 * 1024 * 1024,
        untilTimestamp: null,
        offsetReset: null,
        positions: [
          { topic: 'b', partition: 1, offset: 3 },
          { topic: 'a', partition: 0, offset: 5 },
        ],
      },
    });
  });

  it('waits a second by default, and a minute at most', () => {
    const position = { topic: 'a', partition: 0, offset: 0 };
    expect(parseFetch(position)).toMatchObject({ value: { timeoutMs: 1000 } });
    expect(parseFetch({ ...position, timeout: 1e9 })).toMatchObject({
      value: { timeoutMs: 60_000 },
    });
  });

  it('may start at a time, end before a time, and name a reset of the offset', () => {
    const body = { topic: 'a', partition: 0, timestamp: 5, untilTimestamp: 9 };
    expect(parseFetch({ ...body, offsetReset: 'latest' })).toMatchObject({
      value: {
        positions: [{ topic: 'a', partition: 0, timestamp: 5 }],
        untilTimestamp: 9,
        offsetReset: 'latest',
      },
    });
  });

  it('is limited to what it requests, and to the largest answer', () => {
    const position = { topic: 'a', partition: 0, offset: 0 };
    expect(parseFetch({ ...position, maxRecords: 1, maxBytes: 2 })).toMatchObject({
      value: { maxRecords: 1, maxBytes: 2 },
    });
    expect(parseFetch({ ...position, maxRecords: 1e9, maxBytes: 1e12 })).toMatchObject({
      value: { maxRecords: 10_000, maxBytes: 50 * 1024 * 1024 },
    });
  });

  it.each([
    [[], 'must be an object'],
    [{ topic: 'a', partition: 0, offset: 0, timestamp: 0 }, 'cannot both'],
    [{ topic: 'a', partition: 0, timestamp: -1 }, 'timestamp must be'],
    [{ topic: 'a', partition: 0, offset: 0, maxRecords: 0 }, 'maxRecords must be'],
    [{ topic: 'a', partition: 0, offset: 0, maxBytes: 'all' }, 'maxBytes must be'],
    [{ topic: 'a', partition: 0, offset: 0, untilTimestamp: 'now' }, 'untilTimestamp must be'],
    [{ topic: 'a', partition: 0, offset: 0, offsetReset: 'none' }, 'offsetReset must be'],
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
