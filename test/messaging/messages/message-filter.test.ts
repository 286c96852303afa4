import fc from 'fast-check';
import type { UrlFilters } from '../../../src/http/query-filters.js';
import {
  type MessageOrigin,
  matchesOrigin,
  type OriginFilters,
  originTerms,
} from '../../../src/messaging/messages/message-filter.js';
import { messageTerms } from '../../../src/messaging/messages/recorded-events.js';
import { messageOptions } from '../../support/message-options.js';
import { anyOrigin } from '../../support/origin-filters.js';

const at = 1000;
const reported = (messageId: string) => ({
  kind: 'callback' as const,
  messageId,
  publishedOffset: 0,
  attemptOffset: 1,
  dlqId: null,
});
const message = messageOptions({
  url: 'https://example.com/a',
  topicName: 'g',
  queueName: 'q',
  scheduleId: 's',
  labels: ['blue', 'green'],
  flowControl: { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 },
  callerIp: '10.0.0.1',
  callbackOf: reported('msg_1'),
});

describe('a message', () => {
  it.each<[Partial<OriginFilters & UrlFilters>, boolean]>([
    [{}, true],
    [{ url: ['https://example.com/a'] }, true],
    [{ url: ['https://example.com/b'] }, false],
    [{ host: ['example.com'] }, true],
    [{ path: ['/b'] }, false],
    [{ topicName: ['x', 'g'] }, true],
    [{ topicName: ['x'] }, false],
    [{ queueName: ['q'] }, true],
    [{ queueName: ['x'] }, false],
    [{ scheduleId: ['s'] }, true],
    [{ scheduleId: ['x'] }, false],
    [{ label: ['red', 'green'] }, true],
    [{ label: ['red'] }, false],
    [{ flowControlKey: ['k'] }, true],
    [{ flowControlKey: ['x'] }, false],
    [{ callerIp: ['10.0.0.1'] }, true],
    [{ callerIp: ['10.0.0.2'] }, false],
    [{ sourceMessageId: ['msg_1'] }, true],
    [{ sourceMessageId: ['msg_2'] }, false],
    [{ fromDate: at, toDate: at }, true],
    [{ fromDate: at + 1 }, false],
    [{ toDate: at - 1 }, false],
    [{ queueName: ['q'], label: ['blue'], fromDate: 0 }, true],
    [{ queueName: ['q'], label: ['red'] }, false],
  ])('matches %j: %j', (filter, matches) => {
    expect(matchesOrigin(message, at, { ...anyOrigin, ...filter })).toBe(matches);
  });

  it.each<Partial<OriginFilters>>([
    { topicName: ['g'] },
    { queueName: ['q'] },
    { scheduleId: ['s'] },
    { label: ['blue'] },
    { flowControlKey: ['k'] },
    { sourceMessageId: ['msg_1'] },
  ])('without any origin does not match %j', (filter) => {
    expect(matchesOrigin(messageOptions(), at, { ...anyOrigin, ...filter })).toBe(false);
  });
});

describe('the terms of a filter', () => {
  it('are empty if the index cannot help', () => {
    expect(originTerms({ ...anyOrigin, callerIp: ['::1'], fromDate: 1 })).toEqual([]);
  });

  it('include one of each list for every matching message', () => {
    const some = (...words: string[]) => fc.option(fc.subarray(words, { minLength: 1 }));
    const one = (...words: string[]) => fc.constantFrom(null, ...words);
    const filters = fc.record({
      url: some('https://example.com/a', 'https://example.com/b'),
      topicName: some('g', 'h'),
      queueName: some('q', 'r'),
      scheduleId: some('s', 't'),
      label: some('blue', 'green', 'red'),
      flowControlKey: some('k', 'l'),
      sourceMessageId: some('msg_1', 'msg_2'),
    });
    const messages = fc.record({
      url: fc.constantFrom('https://example.com/a', 'https://example.com/b'),
      topicName: one('g', 'h'),
      queueName: one('q', 'r'),
      scheduleId: one('s', 't'),
      labels: fc.subarray(['blue', 'green']),
      key: one('k', 'l'),
      source: one('msg_1', 'msg_2'),
    });
    fc.assert(
      fc.property(filters, messages, (filter, { key, source, ...fields }) => {
        const limits = { parallelism: 1, rate: null, periodSeconds: 1 };
        const flowControl = key === null ? null : { key, ...limits };
        const callbackOf = source === null ? null : reported(source);
        const published = messageOptions({ ...fields, flowControl, callbackOf });
        const all = { ...anyOrigin, ...filter };
        const terms = new Set(messageTerms(published));
        const isFound = originTerms(all).every((list) => list.some((term) => terms.has(term)));
        // Without dates and addresses, the index finds exactly the matching messages.
        expect(isFound).toBe(matchesOrigin(published satisfies MessageOrigin, at, all));
      }),
    );
  });
});
