import { parseSubscription } from '../../../src/topics/subscriptions/subscription.request.js';

const required = { name: 'push', topic: 'rides', destination: 'https://example.com/' };
const read = (fields: Readonly<Record<string, unknown>>) =>
  parseSubscription(Buffer.from(JSON.stringify({ ...required, ...fields })));
const reasonOf = (fields: Readonly<Record<string, unknown>>) => {
  const result = read(fields);
  return result.ok ? null : result.message;
};

describe('the body that creates a subscription', () => {
  it('needs three fields, and has defaults for the rest', () => {
    const value = { ...required, from: 'latest', maxRecords: 1, encoding: 'text' };
    expect(read({})).toEqual({ ok: true, value });
  });

  it('may have all fields', () => {
    const all = { from: 'earliest', maxRecords: 500, encoding: 'base64' };
    expect(read(all)).toEqual({ ok: true, value: { ...required, ...all } });
  });

  it.each([
    [{ name: 'a/b' }, /^name must have/],
    [{ name: '' }, /^name must have/],
    [{ name: 7 }, /^name: /],
    [{ topic: null }, /^topic: /],
    [{ destination: undefined }, /^destination: /],
    [{ from: 'now' }, /^from: /],
    [{ maxRecords: 0 }, /^maxRecords: /],
    [{ maxRecords: 501 }, /^maxRecords: /],
    [{ maxRecords: 1.5 }, /^maxRecords: /],
    [{ encoding: 'hex' }, /^encoding: /],
    [{ encoding: 'base64' }, /^encoding: /],
    [{ paused: true }, /paused/],
  ])('is refused with %j, and says why', (fields, reason) => {
    expect(reasonOf(fields)).toMatch(reason);
  });

  it.each(['', '[]', '{', 'null'])('is refused if it is %j', (text) => {
    expect(parseSubscription(Buffer.from(text)).ok).toBe(false);
  });
});
