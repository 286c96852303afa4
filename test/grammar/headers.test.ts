import {
  headerBytes,
  headerText,
  withDefaultHeaders,
  withoutHopHeaders,
} from '../../src/grammar/headers.js';

describe('forwarded headers', () => {
  it('exclude those that a connection or its opener owns, in any case', () => {
    const pairs = ['HOST', 'a', 'X-A', '1', 'te', 'trailers', 'Content-Length', '5', 'x-b', '2'];
    expect(withoutHopHeaders(pairs)).toEqual(['X-A', '1', 'x-b', '2']);
  });

  it('exclude those that the connection names as its own', () => {
    const pairs = ['X-Internal', '1', 'Connection', 'close, x-internal', 'X-A', '2'];
    expect(withoutHopHeaders(pairs)).toEqual(['X-A', '2']);
  });

  it('are the same list if all of them are forwarded', () => {
    const pairs = ['Authorization', 'Bearer x', 'User-Agent', 'me'];
    expect(withoutHopHeaders(pairs)).toBe(pairs);
  });
});

describe('default headers', () => {
  it('come before those of the message', () => {
    expect(withDefaultHeaders(['X-C', '3'], ['X-A', '1', 'X-B', '2'])).toEqual([
      ...['X-A', '1', 'X-B', '2', 'X-C', '3'],
    ]);
  });

  it('are overridden in any case, all values of a name together', () => {
    expect(withDefaultHeaders(['x-a', 'own'], ['X-A', '1', 'X-A', '2', 'B', '3'])).toEqual([
      ...['B', '3', 'x-a', 'own'],
    ]);
  });

  it('leave the list the same if there are none', () => {
    const own = ['X-A', '1'];
    expect(withDefaultHeaders(own, [])).toBe(own);
  });
});

describe('the text of a header', () => {
  it.each([
    ['of UTF-8 is what its bytes say', 'caf\u00c3\u00a9', 'café'],
    ['of other bytes is a character for each', 'caf\u00e9', 'café'],
    ['of ASCII is itself', 'a, b', 'a, b'],
    ['that is none of a header is itself', 'dražší', 'dražší'],
  ])('%s', (_, value, text) => {
    expect(headerText(value)).toBe(text);
  });

  it('is carried byte by byte', () => {
    const text = 'čaj za 1 €';
    expect(headerBytes(text)).toBe(Buffer.from(text).toString('latin1'));
    expect(headerText(headerBytes(text))).toBe(text);
  });
});
