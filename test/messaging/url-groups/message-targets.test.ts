import { Refusal } from '../../../src/grammar/result.js';
import { messageTargets } from '../../../src/messaging/url-groups/message-targets.js';

const url = 'https://example.com/hook';
const endpoints = [
  { url: 'https://one.example.com/', name: 'one' },
  { url: 'https://two.example.com/', name: null },
];
const groups = new Map([
  ['orders', { endpoints, headers: ['X-A', 'default'] }],
  ['nobody', { endpoints: [], headers: [] }],
]);
const find = (name: string) => groups.get(name);

describe('the target of a message that is published later', () => {
  it('is the one URL', () => {
    const targets = { ok: true, endpoints: [{ url, name: null }], headers: [] };
    expect(messageTargets(url, null, find)).toEqual(targets);
  });

  it('is every endpoint that the group has then, with its headers', () => {
    const targets = { ok: true, endpoints, headers: ['X-A', 'default'] };
    expect(messageTargets(null, 'orders', find)).toEqual(targets);
  });

  it.each([
    ['nobody', 'URL group nobody is empty'],
    ['gone', 'URL group gone not found'],
  ])('is missing for the group %s, and the answer says so', (name, error) => {
    expect(messageTargets(null, name, find)).toEqual(new Refusal('not_found', error));
  });
});
