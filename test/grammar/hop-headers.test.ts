import { withoutHopHeaders } from '../../src/grammar/hop-headers.js';

describe('the headers that go further', () => {
  it('are none of those that a connection or its opener owns, in any case', () => {
    const pairs = ['HOST', 'a', 'X-A', '1', 'te', 'trailers', 'Content-Length', '5', 'x-b', '2'];
    expect(withoutHopHeaders(pairs)).toEqual(['X-A', '1', 'x-b', '2']);
  });

  it('are not those that the connection names as its own', () => {
    const pairs = ['X-Internal', '1', 'Connection', 'close, x-internal', 'X-A', '2'];
    expect(withoutHopHeaders(pairs)).toEqual(['X-A', '2']);
  });

  it('are the same list where all of them go', () => {
    const pairs = ['Authorization', 'Bearer x', 'User-Agent', 'me'];
    expect(withoutHopHeaders(pairs)).toBe(pairs);
  });
});
