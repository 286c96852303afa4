import fc from 'fast-check';
import { parseDestination, parseUrl, requestTarget } from '../../src/grammar/destination.js';

const shown = (tail: string, query = '') => {
  const result = parseDestination(tail, query);
  if (!result.ok) return `refused: ${result.message}`;
  return result.value.kind === 'url' ? result.value.text : `group ${result.value.name}`;
};

describe('a destination in the path', () => {
  it.each([
    ['https://example.com/a//b/../c', 'x=1&y=2', 'https://example.com/a//b/../c?x=1&y=2'],
    ['https:/example.com/a', '', 'https://example.com/a'],
    ['https%3A%2F%2Fexample.com%2Fa', '', 'https://example.com/a'],
    ['https%3A%2F%2Fexample.com%2Fa%3Fx%3D1', 'y=2', 'https://example.com/a?x=1&y=2'],
    ['https://example.com/a%20b', '', 'https://example.com/a%20b'],
    ['http://127.0.0.1:9000', '', 'http://127.0.0.1:9000'],
    ['http://127.0.0.1:9000', 'a[]=1|2', 'http://127.0.0.1:9000?a[]=1|2'],
    ['HTTP://LOCALHOST/a/../b', 'x=..', 'http://localhost/a/../b?x=..'],
    ['http://LOCALHOST', '', 'http://localhost'],
    ['HTTP:///LOCALHOST/a/../b', '', 'http://localhost/b'],
    ['http://127.1/a', '', 'http://127.0.0.1/a'],
    ['http://127.0.0.1\\a', '', 'http://127.0.0.1/a'],
    ['http:////127.0.0.1/a', '', 'http://127.0.0.1/a'],
    ['http://127.0.0.1:080/a', '', 'http://127.0.0.1/a'],
    ['https://example.com:443/a//./b', '', 'https://example.com/a//./b'],
    ['http://u:p@EXAMPLE.com/a', '', 'http://u:p@example.com/a'],
    ['https://example.com/{a}"', '', 'https://example.com/%7Ba%7D%22'],
    ['https://example.com/#part', '', 'https://example.com/'],
    ['my-group.1', '', 'group my-group.1'],
  ])('%s with query "%s" is %s', (tail, query, expected) => {
    expect(shown(tail, query)).toBe(expected);
  });

  it.each([
    ['', 'missing'],
    ['ftp://example.com', 'http:// or https://'],
    ['https://', 'not a valid URL'],
    ['https://exa mple.com', 'not a valid URL'],
    ['a/b', 'neither a URL nor'],
    ['..', 'neither a URL nor'],
    ['.', 'neither a URL nor'],
    ['...', 'group ...'],
    ['%zz', 'percent-encoding'],
    [`https://example.com/${'a'.repeat(9000)}`, 'longer than'],
    ['x'.repeat(300), 'neither a URL nor'],
    [`https://example.com/${'ä'.repeat(4000)}`, 'longer than'],
  ])('%s is refused or only a name', (tail, expected) => {
    expect(shown(tail)).toContain(expected);
  });
});

it('the called URL is the text of a destination, whatever it was made of', () => {
  const host = fc.constantFrom('example.com', 'EXAMPLE.com:080', '127.1', 'u:p@h', '/h', 'h\\x');
  const rest = fc.string({ unit: fc.constantFrom(...'/.?%2e&=[]|{}"\\^ä#a:@'), maxLength: 20 });
  fc.assert(
    fc.property(host, rest, (name, tail) => {
      const parsed = parseUrl(`http://${name}/${tail}`);
      if (!parsed.ok) return;
      const { text } = parsed.value;
      const url = new URL(text);
      expect(parseUrl(text)).toMatchObject({ ok: true, value: { text } });
      const called = `${url.protocol}//${text.includes('@h') ? 'u:p@' : ''}${url.host}`;
      expect(`${called}${requestTarget(text, url)}`).toBe(text);
    }),
  );
});
