import { headerCountMax } from '../../../src/http/head-limits.js';
import { bodyOf, rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

/** A request to a route without credentials, so that only the head matters. */
function head(...lines: string[]): string {
  const request = ['GET /health/live HTTP/1.1', 'Host: here', 'Connection: close', ...lines];
  return `${request.join('\r\n')}\r\n\r\n`;
}

test('the server accepts the maximum of headers, and not one more', async () => {
  const fill = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
  const allowed = await rawRequest(server.port, head(...fill(headerCountMax - 2)));
  expect(statusOf(allowed)).toBe(200);
  const refused = await rawRequest(server.port, head(...fill(headerCountMax - 1)));
  expect(statusOf(refused)).toBe(431);
  expect(bodyOf(refused)).toEqual({ error: expect.stringContaining('256'), status: 431 });
});

test('the server answers 431 to ten thousand headers and to one that is too long', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `X-Header-${index}: 1`);
  for (const lines of [many, [`X: ${'a'.repeat(70_000)}`]]) {
    const answer = await rawRequest(server.port, head(...lines));
    expect(statusOf(answer)).toBe(431);
    expect(bodyOf(answer)).toEqual({ error: expect.any(String), status: 431 });
  }
});

test('the server accepts a single header of nearly 64 KiB', async () => {
  const answer = await rawRequest(server.port, head(`X: ${'a'.repeat(60_000)}`));
  expect(statusOf(answer)).toBe(200);
});

test('the server accepts header names that are members of every object', async () => {
  const answer = await rawRequest(
    server.port,
    head('__proto__: x', 'constructor: y', 'hasOwnProperty: z'),
  );
  expect(statusOf(answer)).toBe(200);
});

const body = (lines: string[], rest: string) =>
  `POST /health/live HTTP/1.1\r\nHost: here\r\n${lines.join('\r\n')}\r\n\r\n${rest}`;

test.each([
  ['two hosts', head('Host: there')],
  ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
  [
    'a length and a transfer coding',
    body(['Content-Length: 3', 'Transfer-Encoding: chunked'], '0'),
  ],
  [
    'a transfer coding and a length',
    body(['Transfer-Encoding: chunked', 'Content-Length: 3'], '0'),
  ],
  ['two different lengths', body(['Content-Length: 3', 'Content-Length: 4'], 'abcd')],
  ['one length twice', body(['Content-Length: 3', 'Content-Length: 3'], 'abc')],
  ['an unknown transfer coding', body(['Transfer-Encoding: gzip'], 'abc')],
  [
    'a coding before chunked',
    body(['Connection: close', 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
  ],
  ['a folded header', head('X: a\r\n b')],
  ['a blank before the colon', head('X : a')],
  ['a target with a host of its own', head().replace('GET /', 'GET http://there/')],
  ['a NUL in a header', head('X: a\0b')],
  ['what is no HTTP', 'hello\r\n\r\n'],
])('the server answers 400 to %s and closes the connection', async (_what, request) => {
  const answer = await rawRequest(server.port, request);
  expect(statusOf(answer)).toBe(400);
  expect(bodyOf(answer)).toEqual({ error: expect.any(String), status: 400 });
});

test('a path that is not percent-encoded UTF-8 is refused with 400 and JSON', async () => {
  const ask = (path: string) => rawRequest(server.port, head().replace('/health/live', path));
  expect(bodyOf(await ask('/%zz'))).toEqual({ error: expect.any(String), status: 400 });
  expect(bodyOf(await ask('/v2/%zz'))).toEqual({ error: expect.any(String) });
});
