import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  callbackRedaction,
  hiding,
  redacted,
  redactedBody,
  redactedHeaders,
} from '../../../src/messaging/messages/redaction.js';

const hex = (original: string | Uint8Array) => createHash('sha256').update(original).digest('hex');
const mapOf = (entries: Record<string, string[]>) => Object.assign(Object.create(null), entries);

describe('a redacted value', () => {
  it('is shown as the digest of its bytes', () => {
    // printf secret | sha256sum
    const digest = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';
    expect(redacted('secret')).toBe(`REDACTED:${digest}`);
    expect(redacted(Buffer.from('secret'))).toBe(`REDACTED:${digest}`);
  });

  it('reveals only the digest of the original, which is equal for equal values', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        const shown = redactedBody(Buffer.from(bytes), { body: true, headers: [] });
        expect(shown?.toString()).toBe(`REDACTED:${hex(bytes)}`);
      }),
    );
  });
});

describe('a body', () => {
  const body = Buffer.from('x');

  it.each([
    [null, body],
    [{ body: false, headers: ['*'] }, body],
  ])('is shown unchanged under %j', (redaction, shown) => {
    expect(redactedBody(body, redaction)).toBe(shown);
  });

  it('that is missing has no digest', () => {
    expect(redactedBody(null, { body: true, headers: [] })).toBeNull();
    expect(redactedBody(Buffer.alloc(0), { body: true, headers: [] })).toHaveLength(0);
  });
});

describe('a header map', () => {
  const map = mapOf({ 'Content-Type': ['text/plain'], 'X-Tenant': ['acme', 'other'] });

  it('is shown unchanged if no header is redacted', () => {
    expect(redactedHeaders(map, null)).toBe(map);
    expect(redactedHeaders(map, { body: true, headers: [] })).toBe(map);
  });

  it.each([
    // Each character is a byte of the header; what no header carries is a text in UTF-8.
    ['\u00e9', Buffer.from([0xe9])],
    ['\u65e5', Buffer.from('\u65e5')],
  ])('hides %j as the digest of its bytes', (value, bytes) => {
    const shown = redactedHeaders(mapOf({ 'X-Name': [value] }), { body: false, headers: ['*'] });
    expect(shown).toEqual(mapOf({ 'X-Name': [`REDACTED:${hex(bytes)}`] }));
  });

  it('hides each value of a named header, whatever its case', () => {
    expect(redactedHeaders(map, { body: false, headers: ['x-tenant', 'x-absent'] })).toEqual(
      mapOf({ 'Content-Type': ['text/plain'], 'X-Tenant': [redacted('acme'), redacted('other')] }),
    );
  });

  it('hides all values if all headers are named, and keeps the names', () => {
    const names = fc.constantFrom('__proto__', 'A', 'Constructor', 'X-B');
    const maps = fc.array(fc.tuple(names, fc.array(fc.string(), { minLength: 1, maxLength: 3 })));
    fc.assert(
      fc.property(maps, (entries) => {
        const shown = redactedHeaders(mapOf({}), { body: false, headers: ['*'] });
        expect(Object.keys(shown)).toEqual([]);
        const original = Object.create(null);
        for (const [name, values] of entries) original[name] = values;
        const hidden = redactedHeaders(original, { body: false, headers: ['*'] });
        expect(Object.keys(hidden)).toEqual(Object.keys(original));
        for (const name of Object.keys(original)) {
          expect(hidden[name]).toEqual(original[name].map(redacted));
        }
      }),
    );
  });
});

describe('what a callback hides', () => {
  const own = { body: false, headers: ['x-tenant'] };

  it('is what it asks for itself, if its source hides nothing', () => {
    expect(callbackRedaction(own, null)).toBe(own);
    expect(callbackRedaction(null, null)).toBeNull();
  });

  it('includes its whole body if its source hides anything', () => {
    const source = { body: false, headers: ['authorization'] };
    expect(callbackRedaction(own, source)).toEqual({ body: true, headers: ['x-tenant'] });
    expect(callbackRedaction(null, source)).toEqual({ body: true, headers: [] });
  });
});

it('two redactions together hide everything that either of them hides', () => {
  const one = { body: true, headers: ['x-secret'] };
  expect(hiding(null, one)).toEqual(one);
  const both = hiding({ body: false, headers: ['x-a'] }, one);
  expect(both).toEqual({ body: true, headers: ['x-a', 'x-secret'] });
});
