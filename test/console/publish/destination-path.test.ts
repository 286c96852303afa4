import { destinationPath } from '../../../src/console/web/publish/destination-path.ts';

it.each(['https://example.com/hook?ids[]=1&of={a,b}', 'https://example.com//a%20b/', 'my-group'])(
  '%s is sent as it is',
  (destination) => {
    expect(destinationPath('/v2/publish/', destination)).toBe(`/v2/publish/${destination}`);
  },
);

it.each([
  'https://example.com/a/../b?x=1',
  'https://example.com/../../../admin',
  'https://example.com/a/%2e%2e/b',
  'https://example.com/a?x=1#part',
  'https://example.com/a\\b',
  'https://example.com/a b',
])('%s, which a browser would change, is sent encoded', (destination) => {
  const path = destinationPath('/v2/publish/', destination);
  expect(new URL(path, 'http://server').pathname).toBe(path);
  expect(decodeURIComponent(path)).toBe(`/v2/publish/${destination}`);
});
