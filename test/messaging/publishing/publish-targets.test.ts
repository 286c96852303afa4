import { AddressGuard } from '../../../src/messaging/outbound/address-guard.js';
import { PublishTargets } from '../../../src/messaging/publishing/publish-targets.js';

const guard = new AddressGuard({ networks: [], hosts: [] });
const targets = new PublishTargets(guard, { include: (value) => value === 'ours' });

describe('a destination', () => {
  it.each([
    ['https://example.com/a//b?x=1', 'url', 'https://example.com/a//b?x=1', []],
    [
      'https://example.com/?svc-delay=1h&x=1&token=ours',
      'url',
      'https://example.com/?x=1',
      ['svc-delay', '1h'],
    ],
    ['https://example.com/?token=theirs', 'url', 'https://example.com/?token=theirs', []],
    ['submissions', 'group', 'submissions', []],
    ['submissions?svc-retries=1', 'group', 'submissions', ['svc-retries', '1']],
    ['submissions?&token=ours&', 'group', 'submissions', []],
  ])('%s is read in the same way each time', (destination, kind, text, options) => {
    const read = () => targets.read(destination);
    expect(read()).toEqual({ kind, text, options });
    expect(read()).toEqual({ kind, text, options });
  });

  it.each(['', '?svc-delay=1h', 'a/b', 'http://127.0.0.1/', 'https://example.com/?svc-delay=%ff'])(
    '"%s" is refused as invalid, every time',
    (destination) => {
      const read = () => targets.read(destination);
      expect(read()).toMatchObject({ code: 'invalid' });
      expect(read()).toMatchObject({ code: 'invalid' });
    },
  );

  it('is refused if it is long with its options, as that of a batch item may be', () => {
    const written = (bytes: number) => `https://example.com/?svc-label=${'a'.repeat(bytes - 31)}`;
    const { length } = written(65_536);
    expect(length).toBe(65_536);
    expect(targets.read(written(65_536))).toMatchObject({ text: 'https://example.com/' });
    expect(targets.read(written(65_537))).toMatchObject({
      code: 'invalid',
      message: 'the destination is longer than 65536 characters with its options',
    });
  });

  it('is refused if its query has many tokens, each of which would be hashed', () => {
    const query = (count: number) => Array.from({ length: count }, () => 'token=a').join('&');
    expect(targets.read(`https://example.com/?${query(16)}`)).toMatchObject({ kind: 'url' });
    expect(targets.read(`https://example.com/?${query(17)}`)).toMatchObject({
      code: 'invalid',
      message: 'the query has more than 16 tokens',
    });
  });

  it.each(['retries=3', 'token=theirs', 'Svc-Retries=3', 'svc-retries=3&x'])(
    'that names a URL group is refused with the query %s, which no endpoint would get',
    (query) => {
      const message = expect.stringMatching(/^a URL group takes no query/);
      expect(targets.read(`submissions?${query}`)).toMatchObject({ code: 'invalid', message });
    },
  );
});

describe('a URL other than the destination', () => {
  it('is kept as it was written', () => {
    const text = 'https://example.com/a//b?token=ours&svc-delay=1h';
    expect(targets.judgeUrl(text)).toEqual({ ok: true, value: text });
  });

  it.each([
    ['submissions', 'must begin with http:// or https://'],
    ['ftp://example.com', 'must begin with http:// or https://'],
    ['https:example.com', 'must begin with http:// or https://'],
    ['', 'must begin with http:// or https://'],
    ['https://', 'is not a valid URL'],
    ['http://10.0.0.1/', 'must not reach 10.0.0.1'],
    ['http://user@example.com/', 'must not carry a user name'],
    ['https://example.com:22/', 'must not name port 22'],
    [`https://example.com/${'a'.repeat(8192)}`, 'is longer than 8192 characters'],
  ])('"%s" is refused because it %s', (text, reason) => {
    const result = targets.judgeUrl(text);
    expect(result.ok ? '' : result.message).toContain(reason);
  });
});
