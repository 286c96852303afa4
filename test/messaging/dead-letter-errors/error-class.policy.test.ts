import { errorClass } from '../../../src/messaging/dead-letter-errors/error-class.policy.js';

describe('the class of an error', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:8080', 'connect ECONNREFUSED #.#.#.#:#'],
    ['order 17 is out of stock', 'order # is out of stock'],
    ['no user 6f1c2d3e-0a1b-4c5d-8e9f-0123456789ab', 'no user #'],
    ['msg_01M84BSTY4W0FJQ3X54KX261 is gone', '# is gone'],
    ['commit deadbeef1234 is bad', 'commit # is bad'],
    ['feedback is defaced', 'feedback is defaced'],
    ['  first line \n at second (x.ts:3)', 'first line'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(errorClass(text)).toBe(expected);
  });

  it('is short, however long the text', () => {
    expect(errorClass('x'.repeat(100_000))).toHaveLength(200);
  });
});
