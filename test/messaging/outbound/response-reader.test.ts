import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import {
  ResponseReader,
  type ResponseTaker,
} from '../../../src/messaging/outbound/response-reader.js';

/** What a reader reports about a response, and its state at the end. */
class TakenResponse implements ResponseTaker {
  status = 0;
  headers: readonly string[] = [];
  body = '';
  interims: number[] = [];
  interim(status: number): void {
    this.interims.push(status);
  }
  answered(status: number, headers: readonly string[]): void {
    this.status = status;
    this.headers = headers;
  }
  data(bytes: Buffer): void {
    this.body += bytes.toString('latin1');
  }
}

function read(pieces: readonly Buffer[], method = 'POST') {
  const taken = new TakenResponse();
  const reader = new ResponseReader();
  reader.begin(method, taken);
  for (const piece of pieces) reader.push(piece);
  const { isComplete, defect, hasSurplus } = reader;
  return {
    ...taken,
    isComplete,
    isWhole: reader.end(),
    defect,
    hasSurplus,
    kept: reader.head?.keptMs,
  };
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const crlf = '\r\n';
const fieldNames = ['X-One', 'x-two', 'Retry-After', 'Upstash-Workflow-Sdk', 'Set-Cookie'];
const header = fc.tuple(
  fc.constantFrom(...fieldNames),
  fc.stringMatching(/^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]{0,20}[\x21-\x7e])?$/),
);
const bodyText = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const status = fc.constantFrom(200, 201, 204, 302, 304, 404, 500, 503, 599);

interface Response {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly framing: 'length' | 'chunked' | 'toEnd';
  readonly chunk: number;
  readonly interims: number;
}

const response: fc.Arbitrary<Response> = fc.record({
  status,
  headers: fc.array(header, { maxLength: 6 }),
  body: bodyText,
  framing: fc.constantFrom('length', 'chunked', 'toEnd'),
  chunk: fc.integer({ min: 1, max: 30 }),
  interims: fc.integer({ min: 0, max: 2 }),
});

function wire({ status, headers, body, framing, chunk, interims }: Response): Buffer {
  const hasBody = status !== 204 && status !== 304;
  const fields = headers.map(([name, value]) => `${name}: ${value}${crlf}`).join('');
  const early = `HTTP/1.1 103 Early Hints${crlf}link: </x>${crlf}${crlf}`.repeat(interims);
  const head = `${early}HTTP/1.1 ${status} Some Reason${crlf}${fields}`;
  return Buffer.from(`${head}${hasBody ? framed(body, framing, chunk) : crlf}`, 'latin1');
}

function framed(body: string, framing: Response['framing'], size: number): string {
  if (framing === 'length') return `Content-Length:${body.length}${crlf}${crlf}${body}`;
  if (framing === 'toEnd') return `Connection: close${crlf}${crlf}${body}`;
  let chunks = '';
  for (let at = 0; at < body.length; at += size) {
    const part = body.slice(at, at + size);
    chunks += `${part.length.toString(16)};ext=1${crlf}${part}${crlf}`;
  }
  return `transfer-encoding: chunked${crlf}${crlf}${chunks}0${crlf}x-trailer: 1${crlf}${crlf}`;
}

describe('the reader of responses', () => {
  it('reads the same in whatever pieces the bytes arrive', () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat(500), { maxLength: 12 }), (given, places) => {
        const bytes = wire(given);
        const whole = read([bytes]);
        expect(read(cutAt(bytes, places))).toEqual(whole);
        expect(read(cutAt(bytes, [...bytes.keys()]))).toEqual(whole);
        expect(whole).toMatchObject({ status: given.status, isWhole: true, defect: null });
      }),
      { numRuns: 200 },
    );
  });

  it('reads the same as the parser of Node', async () => {
    let bytes: Buffer = Buffer.alloc(0);
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const byNode = () =>
      new Promise<{ status: number; headers: readonly string[]; body: string }>(
        (resolve, reject) => {
          const take = (answer: IncomingMessage) => {
            let body = '';
            answer.setEncoding('latin1').on('data', (text: string) => (body += text));
            answer.on('end', () => {
              resolve({ status: answer.statusCode ?? 0, headers: answer.rawHeaders, body });
            });
          };
          request({ port, agent: false, method: 'POST' }, take).on('error', reject).end();
        },
      );
    try {
      await fc.assert(
        fc.asyncProperty(response, async (given) => {
          bytes = wire(given);
          const { status, headers, body } = read([bytes]);
          expect({ status, headers, body }).toEqual(await byNode());
        }),
        { numRuns: 60 },
      );
    } finally {
      server.close();
    }
  });

  it.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', null],
    ['HTTP/1.1 200 OK\r\nkeep-alive: max=3, timeout=7\r\ncontent-length: 0\r\n\r\n', 7000],
    ['HTTP/1.1 200 OK\r\nConnection: x, Close\r\ncontent-length: 0\r\n\r\n', 0],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', 0],
    ['HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 0\r\n\r\n', null],
    ['HTTP/1.1 200 OK\r\n\r\nup to the end', 0],
  ])('knows how long the connection of %j may be kept', (text, kept) => {
    expect(read([Buffer.from(text)])).toMatchObject({ kept, defect: null });
  });

  it.each([
    ['HTTP/1.7 200 OK\r\n\r\n', 'unknown version of HTTP'],
    ['HTTP/1.1 2000 OK\r\n\r\n', 'invalid status code'],
    ['HTTQ', 'expected HTTP/1.1'],
    ['HTTP/2.0 200 OK\r\n\r\n', 'expected HTTP/1.1'],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'a header without a colon'],
    ['HTTP/1.1 200 OK\r\na: b\r\n folded: c\r\n\r\n', 'invalid header name'],
    ['HTTP/1.1 200 OK\r\na : b\r\n\r\n', 'invalid header name'],
    ['HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n', 'invalid character in a header value'],
    [
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n',
      'content-length is given twice',
    ],
    ['HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\n', 'content-length is not a whole number'],
    [
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      'content-length and transfer-encoding are both given',
    ],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\n', 'missing carriage return'],
    [
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n',
      'a chunk is longer than its size',
    ],
  ])('finds that %j is not a response', (text, reason) => {
    const bytes = Buffer.from(text);
    expect(read([bytes])).toMatchObject({ defect: { reason }, isWhole: false });
    expect(read(cutAt(bytes, [...bytes.keys()]))).toMatchObject({ defect: { reason } });
  });

  it('keeps no more of a head or of trailers than the limit, in any pieces', () => {
    const head = 'HTTP/1.1 200 OK\r\n';
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n0\r\n`;
    for (const begin of [head, chunked]) {
      const lines = Array.from({ length: 7000 }, () => Buffer.from('x-long: y\r\n'));
      for (const pieces of [lines, [Buffer.concat(lines)]]) {
        expect(read([Buffer.from(begin), ...pieces])).toMatchObject({ defect: 'headers' });
      }
    }
  });

  it('expects no body for a HEAD, and notices bytes after a response', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n';
    expect(read([Buffer.from(text)], 'HEAD')).toMatchObject({
      isComplete: true,
      hasSurplus: false,
    });
    expect(read([Buffer.from(`${text}12345+`)])).toMatchObject({ body: '12345', hasSurplus: true });
  });

  it('reads successive responses on one connection', () => {
    const reader = new ResponseReader();
    for (const body of ['one', 'three']) {
      const taken = new TakenResponse();
      reader.begin('GET', taken);
      reader.push(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
      expect(taken).toMatchObject({ status: 200, body });
      expect(reader.isComplete).toBe(true);
    }
  });

  it('interprets a repeated head according to each method', () => {
    const reader = new ResponseReader();
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nkeep-alive: timeout=5\r\n\r\n';
    for (const method of ['GET', 'POST', 'POST', 'HEAD', 'HEAD', 'GET']) {
      const taken = new TakenResponse();
      const body = method === 'HEAD' ? '' : 'one';
      reader.begin(method, taken);
      reader.push(Buffer.from(`${head}${body}`));
      expect(taken).toMatchObject({ status: 200, body, headers: expect.arrayContaining(['3']) });
      expect(reader).toMatchObject({ isComplete: true, hasSurplus: false });
      expect(reader.head?.keptMs).toBe(5000);
    }
  });
});
