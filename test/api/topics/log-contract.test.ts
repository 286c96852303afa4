import { bodyOf, rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_MAX_BODY: '1kb', STEPWELL_MAX_BATCH: '1kb' },
  });
});

afterAll(() => server.remove());

interface Raw {
  readonly authorization?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Sends one request as bytes; its connection is closed after the answer. */
function ask(line: string, { authorization = server.basic, headers = [], body }: Raw = {}) {
  const all = [
    `${line} HTTP/1.1`,
    'host: x',
    'connection: close',
    ...(authorization === null ? [] : [`authorization: ${authorization}`]),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ...headers,
  ];
  return rawRequest(server.port, `${all.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

const place = '{"topic":"rows","partition":0,"offset":0}';

/** Every route of records, with a valid request. */
const rows = [
  { path: '/produce/rows/text', methods: ['GET'] },
  { path: '/produce/rows', methods: ['GET', 'POST'], body: '{"value":"v","partition":0}' },
  { path: '/produce', methods: ['GET', 'POST'], body: '[{"topic":"rows","value":"v"}]' },
  { path: '/webhook?topic=rows', methods: ['GET', 'POST'], body: 'any bytes' },
  { path: '/fetch', methods: ['GET', 'POST'], body: place },
  { path: '/topics', methods: ['GET'] },
  { path: '/offsets/latest', methods: ['GET', 'POST'], body: place },
] as const;

const slashed = (path: string) => path.replace(/(?=\?|$)/, '/');
const refusal = (status: number) => ({ error: expect.stringMatching(/./), status });

describe('every route of records', () => {
  it('answers with JSON for any method, content type and trailing slash', async () => {
    for (const { path, methods, ...row } of rows) {
      const raw: Raw = 'body' in row ? { body: row.body } : {};
      for (const method of methods) {
        for (const target of [path, slashed(path)]) {
          for (const type of ['text/html', 'application/x-www-form-urlencoded', '%%%']) {
            const answer = await ask(`${method} ${target}`, {
              ...raw,
              headers: [`content-type: ${type}`],
            });
            expect([method, target, type, statusOf(answer)]).toEqual([method, target, type, 200]);
            expect(answer).toMatch(/^content-type: application\/json/im);
            expect(bodyOf(answer)).toEqual(expect.anything());
          }
        }
      }
    }
  });

  it('answers 405 to other methods, and lists its own', async () => {
    for (const { path, methods } of rows) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if ((methods as readonly string[]).includes(method)) continue;
        const answer = await ask(`${method} ${path}`);
        expect([method, path, statusOf(answer)]).toEqual([method, path, 405]);
        expect(bodyOf(answer)).toEqual(refusal(405));
        expect(answer).toMatch(new RegExp(`^allow: ${methods.join(', ')}\\r$`, 'im'));
      }
    }
  });

  it('answers 401 and a challenge to a client without good credentials', async () => {
    const encode = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
    const wrong = [null, 'Basic', 'Basic !', encode('a'), encode('stepwell:'), server.bearer];
    for (const { path, methods } of rows) {
      for (const authorization of wrong) {
        const answer = await ask(`${methods[0]} ${path}`, { authorization });
        expect([path, authorization, statusOf(answer)]).toEqual([path, authorization, 401]);
        expect(answer).toMatch(/^www-authenticate: Basic realm=/im);
        expect(bodyOf(answer)).toEqual(refusal(401));
      }
    }
  });

  it('answers 400 to a body that is not JSON, and 413 to one that is too large', async () => {
    for (const { path, ...row } of rows) {
      if (!('body' in row) || path.startsWith('/webhook')) continue;
      for (const body of ['', '{', '\ufeff{}', '"text"', 'null', '[[]]', '{"topic":1}']) {
        const answer = await ask(`POST ${path}`, { body });
        expect([path, body, statusOf(answer)]).toEqual([path, body, 400]);
        expect(bodyOf(answer)).toEqual(refusal(400));
      }
      const large = await ask(`POST ${path}`, { body: ' '.repeat(1025) });
      expect([path, statusOf(large), bodyOf(large)]).toEqual([path, 413, refusal(413)]);
    }
  });

  it('accepts a body in chunks', async () => {
    const body = '{"value":"v"}';
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head = [
      'POST /produce/rows HTTP/1.1',
      'host: x',
      'connection: close',
      `authorization: ${server.basic}`,
      'transfer-encoding: chunked',
    ].join('\r\n');
    const answer = await rawRequest(server.port, `${head}\r\n\r\n${chunks}`);
    expect(statusOf(answer)).toBe(200);
  });
});

describe('a path without a route', () => {
  it.each(['/nothing', '/produce/a/b/c', '/fetch/more', '/offsets', '/schema-registry'])(
    'like %s is answered with 404 as JSON, once its caller is known',
    async (path) => {
      const answer = await ask(`GET ${path}`);
      expect([statusOf(answer), bodyOf(answer)]).toEqual([404, refusal(404)]);
      expect(statusOf(await ask(`GET ${path}`, { authorization: null }))).toBe(401);
    },
  );

  it('that cannot be decoded is answered with 400 as JSON', async () => {
    const answer = await ask('GET /produce/t/%ff');
    expect([statusOf(answer), bodyOf(answer)]).toEqual([400, refusal(400)]);
  });
});

describe('a read of something that does not exist', () => {
  it.each([
    ['/fetch', '{"topic":"none","partition":0,"offset":0}', 404],
    ['/fetch', '{"topic":"rows","partition":3,"offset":0}', 404],
    ['/fetch', '{"topic":"rows","partition":0,"offset":1000000}', 416],
    ['/offsets/earliest', '{"topic":"none","partition":0}', 404],
    ['/offsets/yesterday', '{"topic":"rows","partition":0}', 400],
  ])('at %s with %s is answered with %i', async (path, body, status) => {
    const answer = await ask(`POST ${path}`, { body });
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer)).toMatchObject(refusal(status));
  });
});
