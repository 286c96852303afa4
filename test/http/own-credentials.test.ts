import { withoutCredentials, withoutSessions } from '../../src/http/own-credentials.js';

const session = 'stepwell_0a1b2c3d=rest.1.x.y';

it.each([
  ['theirs=1; other=2', 'theirs=1; other=2'],
  [session, ''],
  [`a=1;${session} ;b=2`, 'a=1; b=2'],
  ['stepwell_theirs=1', 'stepwell_theirs=1'],
  [`a=${session}`, `a=${session}`],
])('of the cookies %s a destination gets %s', (cookies, left) => {
  expect(withoutSessions(cookies)).toBe(left);
});

it('a header that holds only credentials of this server is left out', () => {
  const headers = ['X', '', 'authorization', 'Bearer a', 'Cookie', session, 'cookie', 'b=1'];
  expect(withoutCredentials(headers, true)).toEqual(['X', '', 'cookie', 'b=1']);
  expect(withoutCredentials(headers, false)).toContain('Bearer a');
});
