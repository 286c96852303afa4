import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import fc from 'fast-check';
import { parserOptions } from '../../../../src/server/inbound/inbound-limits.js';
import { readOrdinary } from '../../../../src/server/inbound/sockets/socket-request.js';

const crlf = '\r\n';

/** The parts of a request that both readers must agree on. */
interface Read {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: object;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

const usual = (most: string, ...others: string[]) =>
  fc.oneof({ arbitrary: fc.constant(most), weight: 30 }, fc.constantFrom(most, ...others));

const fieldName = fc.oneof(
  { arbitrary: fc.constantFrom('Host', 'Upstash-Forward-A', 'authorization', 'X-B'), weight: 12 },
  fc.constantFrom('A B', 'a\t', ' a', '', 'X(', 'Set-Cookie', 'Expect', 'Upgrade', 'x-\xe9', 'TE'),
);
const fieldValue = fc.oneof(
  { arbitrary: fc.stringMatching(/^[\x20-\x7e]{0,30}$/), weight: 12 },
  fc.stringMatching(/^[\t\x20-\xff]{0,12}$/),
  fc.constantFrom('a\0b', 'a\rb', 'a\nb', 'a\r\n b'),
);
const field = fc
  .tuple(fieldName, usual(': ', ':', ' : ', ':  ', ':\t', ''), fieldValue, usual(crlf, '\n', '\r'))
  .map((parts) => parts.join(''));

/** The head and the body of a request; most of them are ordinary. */
const request = fc
  .record({
    method: usual('POST', 'GET', 'DELETE', 'post', 'PO(ST', ''),
    target: fc.oneof(
      { arbitrary: fc.stringMatching(/^\/[\x21-\x7e]{0,30}$/), weight: 12 },
      fc.constantFrom('/a b', 'http://a/b', '*', '/\x7f', '/\xe9', ''),
    ),
    version: usual('HTTP/1.1', 'HTTP/1.0', 'http/1.1', 'HTTP/1.2', ''),
    lineEnd: usual(crlf, '\n', '\r'),
    fields: fc.array(field, { maxLength: 5 }),
    body: fc.stringMatching(/^[\x20-\x7e]{0,20}$/),
    length: usual('right', '+1', '-1', '0x3', 'twice', 'none'),
    more: usual('', 'Connection: close', 'Connection: Keep-Alive', 'Transfer-Encoding: chunked'),
  })
  .map(({ method, target, version, lineEnd, fields, body, length, more }) => {
    const right = `Content-Length: ${body.length}${crlf}`;
    const lengths = { right, twice: right + right, none: '' };
    const framing = lengths[length as keyof typeof lengths] ?? `Content-Length: ${length}${crlf}`;
    const others = more === '' ? '' : more + crlf;
    const head = `${method} ${target} ${version}${lineEnd}${fields.join('')}${framing}${others}`;
    return Buffer.from(`${head}${crlf}${body}`, 'latin1');
  });

/** The first request that Node's server finds in `bytes`; null if it refuses them. */
async function readByNode(bytes: Buffer): Promise<Read | null> {
  const server = createServer(parserOptions);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    return await new Promise((resolve) => {
      server.on('clientError', () => resolve(null));
      server.on('request', (incoming: IncomingMessage) => {
        const { method, url, headers, rawHeaders } = incoming;
        let body = '';
        incoming.setEncoding('latin1').on('data', (text: string) => (body += text));
        incoming.on('end', () => resolve({ method, url, headers, rawHeaders, body }));
      });
      client.on('error', () => undefined).end(bytes);
    });
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

const socket = new Socket();
const read = (bytes: Buffer) => readOrdinary(bytes, socket);

test("an ordinary request is read exactly as by Node's parser", async () => {
  let ordinary = 0;
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      const own = read(bytes);
      if (own === null) return;
      ordinary += 1;
      const { method, url, headers, rawHeaders, headBytes, bodyBytes } = own;
      const body = bytes.toString('latin1', headBytes, headBytes + bodyBytes);
      expect(await readByNode(bytes)).toEqual({ method, url, headers, rawHeaders, body });
    }),
    { numRuns: 400 },
  );
  expect(ordinary).toBeGreaterThan(40);
});

const head = (...lines: string[]) =>
  Buffer.from(`${['POST /a HTTP/1.1', ...lines].join(crlf)}${crlf}${crlf}`, 'latin1');

test.each<[what: string, bytes: Buffer]>([
  ['a head that goes on', head('Content-Length: 0').subarray(0, -1)],
  ['a head without a length', head('Host: a')],
  ['a length that is there twice', head('Content-Length: 1', 'content-length: 1')],
  ['a length that is no plain number', head('Content-Length: +1')],
  ['a coding', head('Content-Length: 1', 'Transfer-Encoding: chunked')],
  ['a field that is there twice', head('Content-Length: 1', 'X-A: 1', 'x-a: 2')],
  ['a name of a property', head('Content-Length: 1', 'constructor: 1')],
  ['a field that goes on in the next line', head('Content-Length: 1', 'X-A: 1', ' 2')],
  ['a blank before the colon', head('Content-Length: 1', 'X-A : 1')],
  ['a lone line feed', head('Content-Length: 1', 'X-A: 1\nX-B: 2')],
  ['a lone carriage return', head('Content-Length: 1', 'X-A: 1\rX-B: 2')],
  ['bytes that are no ASCII', head('Content-Length: 1', 'X-A: \xe9')],
  ['a connection that closes', head('Content-Length: 1', 'Connection: close')],
  ['a client that waits to be asked', head('Content-Length: 1', 'Expect: 100-continue')],
  ['another protocol', head('Content-Length: 1', 'Connection: upgrade', 'Upgrade: h2c')],
  ['a page of another origin', head('Content-Length: 1', 'Origin: http://a')],
  ['a long head', head('Content-Length: 1', `X-A: ${'x'.repeat(17_000)}`)],
  ['an older version', Buffer.from('POST /a HTTP/1.0\r\nContent-Length: 0\r\n\r\n')],
])('a request with %s is left to Node', (_what, bytes) => {
  expect(read(bytes)).toBe(null);
});

test('the values of a request are its own, even if many clients send fields of their own', () => {
  for (let index = 0; index < 1100; index += 1) {
    const own = read(head('Content-Length: 5', `X-Own-${index}:  value ${index} `, 'X-Same: s'));
    expect(own?.rawHeaders.slice(2)).toEqual([`X-Own-${index}`, `value ${index}`, 'X-Same', 's']);
    expect(own?.headers[`x-own-${index}`]).toBe(`value ${index}`);
    expect(own?.bodyBytes).toBe(5);
  }
});
