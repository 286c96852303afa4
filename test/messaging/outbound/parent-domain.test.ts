import { domainOf } from '../../../src/messaging/outbound/parent-domain.js';

describe('the domain of an origin', () => {
  it.each([
    ['https://example.com', 'example.com'],
    ['https://example.com:8443', 'example.com'],
    ['http://a.shop.example.com', 'example.com'],
    ['http://1.2.example.com:81', 'example.com'],
    ['https://shop.co.uk', 'co.uk'],
    ['http://localhost:9000', null],
    ['http://10.0.0.1', null],
    ['http://10.0.0.1:9000', null],
    ['http://[::1]:9000', null],
    ['http://[::ffff:a00:1]', null],
  ])('of %s is %s', (origin, domain) => {
    expect(new URL(origin).origin).toBe(origin);
    expect(domainOf(origin)).toBe(domain);
  });
});
