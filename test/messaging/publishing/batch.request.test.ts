import fc from 'fast-check';
import {
  headersOf,
  parseBatch,
  parseBatchItem,
} from '../../../src/messaging/publishing/batch.request.js';
import { requestContext } from '../../support/request-context.js';

const context = requestContext();
const item = (changes: object = {}) =>
  parseBatchItem({ destination: 'https://example.com', ...changes }, context);

const reasonOf = (changes: object) => {
  const result = item(changes);
  return result.ok ? undefined : result.message;
};

describe('a batch', () => {
  it.each([
    ['', 'the body is empty, JSON was expected'],
    ['[', 'the body is not valid JSON'],
    ['{}', 'the body is not an array of messages'],
    ['null', 'the body is not an array of messages'],
    ['"a"', 'the body is not an array of messages'],
    ['[]', 'the batch is empty'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'the body is nested deeper than 64 levels'],
  ])('%s is refused', (text, reason) => {
    expect(parseBatch(Buffer.from(text))).toMatchObject({ ok: false, message: reason });
  });

  it('that is any other list consists of items', () => {
    expect(parseBatch(Buffer.from('[1,{}]'))).toEqual({ ok: true, value: [1, {}] });
  });
});

describe('an item of a batch', () => {
  it('needs only a destination; fields that it does not have are absent', () => {
    const nothing = {
      destination: 'https://example.com',
      rawHeaders: [],
      trace: [],
      contentType: null,
      body: Buffer.alloc(0),
      queueName: null,
      mustRepeat: false,
      context,
    };
    expect(item()).toEqual({ ok: true, value: nothing });
    expect(item({ headers: null, body: null, queue: null, other: [1] })).toEqual({
      ok: true,
      value: nothing,
    });
  });

  it('may have every field', () => {
    const headers = { 'content-TYPE': 'text/plain', 'svc-delay': '1s' };
    expect(item({ headers, body: 'Grüße 🎈', queue: 'submissions' })).toMatchObject({
      value: {
        rawHeaders: ['content-TYPE', 'text/plain', 'svc-delay', '1s'],
        contentType: 'text/plain',
        body: Buffer.from('Grüße 🎈'),
        queueName: 'submissions',
      },
    });
  });

  it.each([
    [{ destination: undefined }, 'destination must be a string'],
    [{ destination: 1 }, 'destination must be a string'],
    [{ destination: ['https://example.com'] }, 'destination must be a string'],
    [{ headers: 'x' }, 'headers must be an object of strings'],
    [{ headers: [] }, 'headers must be an object of strings'],
    [{ headers: { 'svc-retries': 3 } }, 'the header svc-retries must be a string'],
    [{ headers: { a: null } }, 'the header a must be a string'],
    [{ headers: { 'content-type': 'a\r\nb' } }, 'the header Content-Type has a value'],
    [
      { headers: Object.fromEntries(Array.from({ length: 257 }, (_, index) => [index, ''])) },
      'headers are more than 256 or 65536 bytes',
    ],
    [{ headers: { a: 'x'.repeat(65_536) } }, 'headers are more than 256 or 65536 bytes'],
    [{ body: {} }, 'body must be a string'],
    [{ body: 1 }, 'body must be a string'],
    [{ body: '\ud83c' }, 'body contains an unpaired surrogate'],
    [{ queue: 1 }, 'queue must be a string'],
    [{ queue: '' }, 'queue must have 1 to 256'],
    [{ queue: 'a/b' }, 'queue must have 1 to 256'],
  ])('with %j is refused as %s', (changes, reason) => {
    expect(reasonOf(changes)).toContain(reason);
  });

  it.each([[1], ['x'], [null], [[]], [undefined]])('that is %j is refused', (value) => {
    expect(parseBatchItem(value, requestContext())).toMatchObject({
      ok: false,
      message: 'a message of a batch must be an object',
    });
  });

  it('keeps every body that is text and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (body) => {
        const result = item({ body });
        expect(result.ok && result.value.body.toString()).toBe(body);
      }),
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => void parseBatchItem(value, requestContext())));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (headers, body, queue) => {
        const result = item({ headers, body, queue });
        expect(result.ok || result.message !== '').toBe(true);
      }),
    );
  });
});

describe('the headers of an item that was refused', () => {
  it('are those that are texts, and empty for others', () => {
    expect(headersOf({ headers: { a: 'b', c: 1 } })).toEqual(['a', 'b', 'c', '']);
    for (const item of [null, 'x', {}, { headers: ['a'] }]) expect(headersOf(item)).toEqual([]);
  });

  it('are the first 256 of any number', () => {
    const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`h${i}`, 'x']));
    const pairs = headersOf({ headers });
    expect(pairs).toHaveLength(512);
    expect(pairs.slice(-2)).toEqual(['h255', 'x']);
  });
});
