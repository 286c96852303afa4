/**
 * The same bytes are sent on two connections, one of which is read by Node from its first byte:
 * both answer each request alike, in order, however the bytes are cut.
 * More runs: `RUNS=400 npm run jest`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { KeptConnection } from '../../../support/clients/kept-connection.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly who: 'bearer' | 'basic' | null;
  readonly fields: readonly string[];
  readonly body: string;
  readonly isChunked: boolean;
}

const rarely = fc.constantFrom(false, false, false, true);
const publishes: fc.Arbitrary<Sent> = fc.record({
  method: fc.constant('POST'),
  target: fc.oneof(
    { arbitrary: fc.constant('/v2/publish/http://example.com/a'), weight: 3 },
    fc.constantFrom('/v2/publish/', '/v2/publish/nobody', '/v2/batch'),
  ),
  who: fc.constantFrom('bearer', 'bearer', 'bearer', null),
  fields: fc.subarray(
    [
      'Svc-Retries: none',
      'X-A:',
      'X-Long: '.padEnd(5000, 'y'),
      'X-Longer: '.padEnd(17_000, 'y'),
      'Expect: 100-continue',
      'Origin: http://a',
      'Upgrade: h2c',
      'Connection: keep-alive',
    ],
    { maxLength: 2 },
  ),
  body: fc.constantFrom(
    '',
    'hello',
    'x'.repeat(3000),
    'x'.repeat(20_000),
    'x'.repeat(90_000),
    '[]',
  ),
  isChunked: rarely,
});
const calls: fc.Arbitrary<Sent> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  target: fc.constantFrom('/produce/lane', '/produce?partial=true', '/v2/keys', '/nowhere'),
  who: fc.constantFrom('basic', 'basic', 'bearer', null),
  fields: fc.constant([]),
  body: fc.constantFrom('[{"partition":0,"value":"x"}]', '{', ''),
  isChunked: rarely,
});
const health: fc.Arbitrary<Sent> = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  target: fc.constant('/health/live'),
  who: fc.constant(null),
  fields: fc.constant([]),
  body: fc.constant(''),
  isChunked: rarely,
});

const publish = 'POST /v2/publish/http://example.com/a HTTP/1.1\r\nHost: a\r\n';
/** Each of these requests ends its connection. */
const last = fc.constantFrom(
  'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET /health/live HTTP/1.0\r\n\r\n',
  'no request\r\n\r\n',
  `${publish}X-A : b\r\nContent-Length: 0\r\n\r\n`,
  `${publish}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  `${publish}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
);

function textOf({ method, target, who, fields, body, isChunked }: Sent, id: number): string {
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: a',
    'Svc-Delay: 1h',
    `X-Request-Id: request-${id}`,
    ...(who === null ? [] : [`Authorization: ${server[who]}`]),
    ...fields,
    framing,
  ];
  return `${head.join('\r\n')}\r\n\r\n${isChunked ? `${chunk}0\r\n\r\n` : body}`;
}

/** All bytes that arrive until the server closes the connection. */
async function answersTo(pieces: readonly string[], pauses: readonly number[]): Promise<string> {
  const connection = await KeptConnection.open(server.port);
  let answers = '';
  connection.socket.on('data', (text: string) => {
    answers += text;
  });
  for (const [index, piece] of pieces.entries()) {
    connection.socket.write(piece);
    await pause(pauses[index % pauses.length]);
  }
  while (!connection.isClosed) await pause(1);
  connection.close();
  return answers;
}

/** Each answer without its varying parts: ids that the server makes, and times. */
function comparable(answers: string): string[][] {
  const same = answers
    .replace(/msg_[0-9A-Za-z]{20,}/g, 'msg_')
    .replace(/"(offset|timestamp)":\d+/g, '"$1"')
    .replace(/\r\nx-request-id: [0-9a-f]{8}-\w+/gi, '')
    .replace(/\r\n(date|content-length): [^\r]+/gi, '');
  return same.split(/(?=HTTP\/1\.1 \d)/).map((answer) => {
    const end = answer.indexOf('\r\n\r\n');
    return [...answer.slice(0, end).toLowerCase().split('\r\n').sort(), answer.slice(end)];
  });
}

test('requests are answered alike by sockets and by Node, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ arbitrary: publishes, weight: 3 }, calls, health), { maxLength: 6 }),
      last,
      fc.array(fc.nat(30_000), { maxLength: 6 }),
      fc.array(fc.constantFrom(0, 0, 1, 5, 20), { minLength: 1, maxLength: 5 }),
      async (sent, end, cuts, pauses) => {
        const text = sent.map(textOf).join('') + end;
        const ends = cuts.map((cut) => cut % text.length).sort((one, other) => one - other);
        const pieces = [...ends, text.length].map((to, index) => text.slice(ends[index - 1], to));
        const [bySockets, byNode] = await Promise.all([
          answersTo(pieces, pauses),
          answersTo(['\r\n', ...pieces], [0, ...pauses]),
        ]);
        expect(comparable(bySockets)).toEqual(comparable(byNode));
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});
