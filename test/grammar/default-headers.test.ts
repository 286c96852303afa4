import { withDefaultHeaders } from '../../src/grammar/default-headers.js';

describe('default headers', () => {
  it('stand before those of the message', () => {
    expect(withDefaultHeaders(['X-C', '3'], ['X-A', '1', 'X-B', '2'])).toEqual([
      ...['X-A', '1', 'X-B', '2', 'X-C', '3'],
    ]);
  });

  it('give way in any case, all values of a name together', () => {
    expect(withDefaultHeaders(['x-a', 'own'], ['X-A', '1', 'X-A', '2', 'B', '3'])).toEqual([
      ...['B', '3', 'x-a', 'own'],
    ]);
  });

  it('are the same list where there are none', () => {
    const own = ['X-A', '1'];
    expect(withDefaultHeaders(own, [])).toBe(own);
  });
});
