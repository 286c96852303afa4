import { literalTarget } from '../../src/http/literal-target.js';

describe('a target of an event', () => {
  it.each([
    ['/v2/wait/50%', '/v2/wait/50%25'],
    ['/v2/notify/50%%20off?a=%', '/v2/notify/50%25%2520off?a=%'],
    ['/v2/waiters/%ff', '/v2/waiters/%25ff'],
    ['/v2/notify/wfr_1/%?x', '/v2/notify/wfr_1/%25?x'],
  ])('%s is not percent-encoded and is taken literally', (target, literal) => {
    expect(literalTarget({ url: target })).toBe(literal);
    const [path = ''] = literal.split('?', 1);
    expect(decodeURIComponent(path)).toBe(target.split('?', 1)[0]);
  });

  it.each([
    '/v2/wait/event',
    '/v2/wait/an%20event',
    '/v2/wait/event?x=%',
    '/v2/wait/caf%C3%A9',
    // A destination is called as it is written, or refused.
    '/v2/publish/https://example.com/50%',
    '/v2/waiting/50%',
  ])('%s is left unchanged', (target) => {
    expect(literalTarget({ url: target })).toBe(target);
  });
});
