import { Socket } from 'node:net';
import fc from 'fast-check';
import { RequestHeads } from '../../../../src/server/inbound/sockets/request-heads.js';
import {
  readOrdinary,
  type SocketRequest,
} from '../../../../src/server/inbound/sockets/socket-request.js';

const crlf = '\r\n';
const socket = new Socket();

const head = (length: string, fields: readonly string[], path = '/a') => {
  const lines = [`POST ${path} HTTP/1.1`, fields[0], `Content-Length: ${length}`, fields[1]];
  return Buffer.from(`${lines.join(crlf)}${crlf}${crlf}`, 'latin1');
};

function saidBy(request: SocketRequest | null): object | null {
  if (request === null) return null;
  const { method, url, headers, rawHeaders, headBytes, bodyBytes } = request;
  return { method, url, headers, rawHeaders, headBytes, bodyBytes };
}

/** Heads of one client: mostly alike, now and then not, or not to be read at all. */
const heads = fc.array(
  fc
    .record({
      length: fc.oneof(
        { arbitrary: fc.nat(20_000).map(String), weight: 8 },
        fc.constantFrom('007', '0', '12 ', '', 'x', '1'.repeat(15), '1'.repeat(16)),
      ),
      one: fc.oneof({ arbitrary: fc.constant('Host: a'), weight: 8 }, fc.constant('host:b')),
      other: fc.oneof(
        { arbitrary: fc.constant('X-A: 1'), weight: 8 },
        fc.constantFrom('X-A: 2', 'content-length: 1', 'X-\xe9: 1', 'Expect: 100-continue'),
      ),
      path: fc.oneof({ arbitrary: fc.constant('/a'), weight: 8 }, fc.constant('/b')),
      cut: fc.oneof({ arbitrary: fc.constant(0), weight: 8 }, fc.nat(60)),
    })
    .map(({ length, one, other, path, cut }) => {
      const bytes = head(length, [one, other], path);
      return bytes.subarray(0, bytes.length - cut);
    }),
  { maxLength: 24 },
);

test('what heads of a connection say does not depend on those before them', () => {
  fc.assert(
    fc.property(heads, (sent) => {
      const ofConnection = new RequestHeads(socket);
      for (const bytes of sent) {
        expect(saidBy(ofConnection.read(bytes))).toEqual(saidBy(readOrdinary(bytes, socket)));
      }
    }),
    { numRuns: 500 },
  );
});

test('a head that repeats the one before around its length is not read again', () => {
  const ofConnection = new RequestHeads(socket);
  const first = ofConnection.read(head('5', ['Host: a', 'X-A: 1']));
  const same = ofConnection.read(head('5', ['Host: a', 'X-A: 1']));
  const longer = ofConnection.read(head('12', ['Host: a', 'X-A: 1']));
  expect(same?.headers).toBe(first?.headers);
  expect(longer?.bodyBytes).toBe(12);
  expect(first?.headers['content-length']).toBe('5');
  expect(longer?.rawHeaders).toEqual(['Host', 'a', 'Content-Length', '12', 'X-A', '1']);
});
