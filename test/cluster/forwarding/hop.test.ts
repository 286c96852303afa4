import {
  type HopRequest,
  hasDigest,
  isHop,
  openHop,
  signHop,
} from '../../../src/cluster/forwarding/hop.js';

const now = 1_767_000_000_000;
const request: HopRequest = { method: 'POST', path: '/v2/publish/a?b=c', body: Buffer.from('x') };
const hop = { client: 'fe80::1%ü\n"a"', seed: '0123456789abcdef', attempt: 2 };
const headers = signHop('secret', request, hop, now);

describe('a hop', () => {
  it('is accepted with the data of the client in it', () => {
    const opened = openHop('secret', request, headers, now + 29_000);
    const digest = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
    expect(opened).toEqual({ kind: 'hop', hop, digest });
    expect([hasDigest(request.body, digest), hasDigest(Buffer.from('y'), digest)]).toEqual([
      true,
      false,
    ]);
    expect(isHop(headers)).toBe(true);
  });

  it('is not recognized in a request that a client sends', () => {
    expect(openHop('secret', request, { host: 'a' }, now)).toEqual({ kind: 'none' });
  });

  it.each<[string, HopRequest, Record<string, string>]>([
    ['method', { ...request, method: 'GET' }, {}],
    ['path', { ...request, path: '/v2/publish/a?b=d' }, {}],
    ['digest', request, { 'stepwell-hop-digest': 'e3b0c44298fc1c149afbf4c8996fb924' }],
    ['client', request, { 'stepwell-hop-client': '203.0.113.7' }],
    ['attempt', request, { 'stepwell-hop-attempt': '1' }],
    ['seed', request, { 'stepwell-hop-seed': 'fedcba9876543210' }],
    ['date', request, { 'stepwell-hop-date': String(now + 1) }],
    ['signature', request, { 'stepwell-hop-signature': 'ü' }],
  ])('is refused with another %s', (_, changed, more) => {
    const opened = openHop('secret', changed, { ...headers, ...more }, now);
    expect(opened).toEqual({ kind: 'refused', reason: expect.stringContaining('signature') });
  });

  it('is refused with another secret, too late, if forwarded twice, and if incomplete', () => {
    const { 'stepwell-hop-seed': _, ...pieces } = headers;
    const reasons = [
      openHop('other', request, headers, now),
      openHop('secret', request, headers, now + 30_001),
      openHop('secret', request, { ...headers, 'stepwell-hop': '2' }, now),
      openHop('secret', request, pieces, now),
      openHop('secret', request, { 'stepwell-hop-client': '203.0.113.7' }, now),
    ].map((opened) => (opened.kind === 'refused' ? opened.reason : opened.kind));
    expect(reasons).toEqual([
      'the signature is not that of the shared secret',
      'the clocks of the nodes differ by more than 30 s',
      'a request is passed on once at most',
      'a header of the hop is missing, or there more than once',
      'a request is passed on once at most',
    ]);
  });
});
