import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { KeptConnection } from '../../support/clients/kept-connection.js';
import { rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';

const bodyMax = 64 * 1024;
const destination = 'http://example.com/orders';
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MAX_BODY: `${bodyMax}b` } });
});

afterAll(() => server.remove());

/**
 * The bytes of a publish: with a length it is ordinary and takes the short way, in chunks it takes
 * the long way.
 */
function publish(
  framing: 'length' | 'chunked',
  lines: string[],
  body = 'hello',
  path = target,
  method = 'POST',
) {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...lines];
  const size = Buffer.byteLength(body);
  return framing === 'length'
    ? `${head.join('\r\n')}\r\nContent-Length: ${size}\r\n\r\n${body}`
    : `${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${size > 0 ? `${size.toString(16)}\r\n${body}\r\n` : ''}0\r\n\r\n`;
}

const target = `/v2/publish/${destination}`;
const encodedTarget = `/v2/publish/${encodeURIComponent(destination)}`;
const later = 'Svc-Delay: 1h';
const mediaType = 'Content-Type: application/json; charset=utf-8';

/** The answer to the same request on a connection that stays open, which sockets serve. */
async function kept(lines: string[], body: string, path = target, method = 'POST') {
  const connection = await KeptConnection.open(server.port);
  const text = publish('length', lines, body, path, method);
  const answer = await connection.ask(text.replace('Connection: close\r\n', ''));
  connection.close();
  return answer.replace(/\r\nKeep-Alive: timeout=65/, '').replace('keep-alive', 'close');
}

/** The answer without parts that vary: ids, times, and offsets with their length. */
function comparable(answer: string): string[] {
  const varying = answer.includes('"offset"')
    ? /\r\n(?:Date|Content-Length): [^\r]+/gi
    : /\r\nDate: [^\r]+/i;
  const text = answer
    .replace(/msg_[0-9A-Z]{23}/g, 'msg_')
    .replace(/"(offset|timestamp)":\d+/g, '"$1"')
    .replace(/(\r\nx-request-id): [\w-]+/i, '$1')
    .replace(varying, '');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return [...head.toLowerCase().split('\r\n').sort(), body];
}

async function metrics(): Promise<string> {
  return (await fetch(`${server.url}/metrics`)).text();
}

function answered(text: string, status: number): number {
  const labels = `method="POST",route="/v2/publish/*",status="${status}"`;
  const line = text
    .split('\n')
    .find((each) => each.startsWith('stepwell_http_requests_total{') && each.includes(labels));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('sockets, the short way and the long way answer alike', () => {
  test.each<[status: number, what: string, lines: string[], body: string, path: string]>([
    [200, 'a publish', [later], 'hello', target],
    [200, 'a publish with a media type', [later, mediaType], 'hello', target],
    [200, 'an empty body', [later], '', target],
    [200, 'a body as large as allowed', [later], 'x'.repeat(bodyMax), target],
    [413, 'a body that is too large', [later], 'x'.repeat(bodyMax + 1), target],
    [200, 'what is no media type', [later, 'Content-Type: nonsense'], 'hello', target],
    [200, 'an empty type', [later, 'Content-Type:'], 'hello', target],
    [400, 'an option that does not parse', ['Svc-Delay: soon'], 'hello', target],
    [412, 'a value above what is allowed', ['Svc-Retries: 100000'], 'hello', target],
    [400, 'no destination', [later], 'hello', '/v2/publish/'],
    [400, 'a path without a slash', [later], 'hello', '/v2/publish'],
    [404, 'an unknown URL group', [later], 'hello', '/v2/publish/nobody'],
    [400, 'a destination that cannot be decoded', [later], 'hello', '/v2/publish/%zz'],
    [200, 'an encoded destination', [later], 'hello', encodedTarget],
    [404, 'a path that only begins alike', [later], 'hello', '/v2/publisher/x'],
  ])('%d to %s', async (status, _what, lines, body, path) => {
    const own = [`Authorization: ${server.bearer}`, ...lines];
    const short = await rawRequest(server.port, publish('length', own, body, path));
    const long = await rawRequest(server.port, publish('chunked', own, body, path));
    expect(statusOf(short)).toBe(status);
    expect(comparable(short)).toEqual(comparable(long));
    expect(comparable(await kept(own, body, path))).toEqual(comparable(long));
  });

  const record = JSON.stringify({ topic: 'lane', partition: 0, value: 'x' });
  const batch = JSON.stringify([{ destination, headers: { 'Svc-Delay': '1h' } }]);

  test.each<[status: number, what: string, body: string, path: string]>([
    [200, 'a record of a topic', '{"partition":0,"value":"x"}', '/produce/lane'],
    [200, 'a record that names its topic', record, '/produce'],
    [200, 'records', `[${record},${record}]`, '/produce/lane'],
    [200, 'a topic that is encoded', record, '/produce/l%61ne'],
    [200, 'a path with a slash at its end', record, '/produce/lane/'],
    [200, 'the same without a topic', record, '/produce/'],
    [200, 'a fragment that cannot be decoded', record, '/produce/lane#%zz'],
    [207, 'the good ones of some records', `[${record},{}]`, '/produce/lane?partial=true'],
    [207, 'an encoded question', record, '/produce?partial=%74rue'],
    [400, 'a question that is no answer', record, '/produce/lane?partial=maybe'],
    [400, 'an empty question', record, '/produce?partial='],
    [400, 'a question asked twice', record, '/produce?partial=true&partial=true'],
    [400, 'what is no JSON', '{', '/produce/lane'],
    [400, 'nothing', '', '/produce/lane'],
    [400, 'another topic than that of the path', record, '/produce/road'],
    [400, 'a partition that is not there', '{"partition":9999,"value":"x"}', '/produce/lane'],
    [413, 'a record that is too large', `{"value":"${'x'.repeat(bodyMax + 1)}"}`, '/produce/lane'],
    [405, 'a path with more behind the topic', record, '/produce/lane/x'],
    [404, 'a path that only begins alike', record, '/producer'],
    [400, 'a topic that cannot be decoded', record, '/produce/%zz'],
    [200, 'a batch', batch, '/v2/batch'],
    [200, 'a batch with a query', batch, '/v2/batch?x=y'],
    [400, 'a batch that is none', '{}', '/v2/batch'],
    [400, 'a batch of runs that is none', '{}', '/v2/batch/trigger'],
    [404, 'a path below that of batches', batch, '/v2/batch/other'],
  ])('%d to %s', async (status, _what, body, path) => {
    const who = path.startsWith('/v2') ? server.bearer : server.basic;
    const own = [`Authorization: ${who}`, 'Content-Type: application/json'];
    const short = await rawRequest(server.port, publish('length', own, body, path));
    const long = await rawRequest(server.port, publish('chunked', own, body, path));
    expect(statusOf(short)).toBe(status);
    expect(comparable(short)).toEqual(comparable(long));
    expect(comparable(await kept(own, body, path))).toEqual(comparable(long));
  });

  test.each([
    [200, '/produce/lane'],
    [200, '/produce'],
    [405, '/v2/publish/http://example.com'],
  ])('%d to a body that is sent with GET %s', async (status, path) => {
    const who = path.startsWith('/v2') ? server.bearer : server.basic;
    const own = [`Authorization: ${who}`];
    const short = await rawRequest(server.port, publish('length', own, record, path, 'GET'));
    const long = await rawRequest(server.port, publish('chunked', own, record, path, 'GET'));
    expect(statusOf(short)).toBe(status);
    expect(comparable(short)).toEqual(comparable(long));
  });

  describe('to a fetch', () => {
    const at = (offset: number, more: object = {}) =>
      JSON.stringify({ topic: 'long', partition: 0, offset, timeout: 0, ...more });
    const own = () => [`Authorization: ${server.basic}`];

    /** 30 records of 64 KB: more than one piece of an answer, and the last is not UTF-8. */
    beforeAll(async () => {
      const produce = (body: string, lines: string[] = []) =>
        rawRequest(server.port, publish('length', [...own(), ...lines], body, '/produce/long'));
      const text = JSON.stringify({ partition: 0, value: 'x'.repeat(64_000) });
      for (let count = 0; count < 30; count += 1) expect(statusOf(await produce(text))).toBe(200);
      const bytes = JSON.stringify({ partition: 0, value: Buffer.from([0xff]).toString('base64') });
      expect(statusOf(await produce(bytes, ['Stream-Encoding: base64']))).toBe(200);
    });

    test.each<[status: number, what: string, body: string, method: string, path: string]>([
      [200, 'one record', at(29, { maxRecords: 1 }), 'POST', '/fetch'],
      [200, 'one that is shown with replacements', at(30), 'POST', '/fetch'],
      [200, 'an answer that one write takes', at(0, { maxRecords: 2 }), 'POST', '/fetch'],
      [200, 'an answer with a length that is paced', at(0, { maxRecords: 8 }), 'POST', '/fetch'],
      [200, 'an answer in pieces, with a trailer', at(0), 'POST', '/fetch'],
      [200, 'a body that comes with GET', at(29), 'GET', '/fetch'],
      [200, 'a query', at(29), 'POST', '/fetch?x=y'],
      [200, 'nothing yet', at(31), 'POST', '/fetch'],
      [416, 'an offset behind the end', at(32), 'POST', '/fetch'],
      [404, 'a topic that is not there', at(0, { topic: 'none' }), 'POST', '/fetch'],
      [404, 'a partition that is not there', at(0, { partition: 99 }), 'POST', '/fetch'],
      [400, 'what is no JSON', '{', 'POST', '/fetch'],
      [422, 'a moment of the past', at(0), 'GET', '/fetch?asOf=0'],
    ])('%d to %s', async (status, _what, body, method, path) => {
      const short = await rawRequest(server.port, publish('length', own(), body, path, method));
      const long = await rawRequest(server.port, publish('chunked', own(), body, path, method));
      expect(statusOf(short)).toBe(status);
      expect(comparable(short)).toEqual(comparable(long));
      expect(short.slice(short.indexOf('\r\n\r\n'))).toBe(long.slice(long.indexOf('\r\n\r\n')));
    });
  });

  test.each([
    [200, 'the end of a run that is not there', '/v2/workflows/runs/wfr_a?cancel=false'],
    [200, 'one whose id ends with a slash', '/v2/workflows/runs/wfr_a/?cancel=false'],
    [200, 'one whose id has more than one segment', '/v2/workflows/runs/wfr/a?cancel=false'],
    [200, 'one whose id is encoded', '/v2/workflows/runs/wfr%5Fa?cancel=false'],
    [404, 'a cancelation', '/v2/workflows/runs/wfr_a'],
    [400, 'a question that is no answer', '/v2/workflows/runs/wfr_a?cancel=maybe'],
    [400, 'a filter that is not known', '/v2/workflows/runs/wfr_a?cancel=false&force=true'],
    [400, 'a filter of many runs that is none', '/v2/workflows/runs/?cancel=false'],
    [400, 'the same without a slash', '/v2/workflows/runs?cancel=false'],
    [400, 'what cannot be decoded', '/v2/workflows/runs/%zz?cancel=false'],
  ])('%d to %s', async (status, _what, path) => {
    const own = [`Authorization: ${server.bearer}`];
    const body = '"done"';
    const short = await rawRequest(server.port, publish('length', own, body, path, 'DELETE'));
    const long = await rawRequest(server.port, publish('chunked', own, body, path, 'DELETE'));
    expect(statusOf(short)).toBe(status);
    expect(comparable(short)).toEqual(comparable(long));
    expect(comparable(await kept(own, body, path, 'DELETE'))).toEqual(comparable(long));
  });

  test.each([
    ['a client without a token', []],
    ['a stranger', ['Authorization: Bearer stranger']],
    ['one who asks twice for a host', ['Host: there']],
  ])('to %s', async (_who, lines) => {
    const short = await rawRequest(server.port, publish('length', lines));
    const long = await rawRequest(server.port, publish('chunked', lines));
    expect(statusOf(short)).toBeGreaterThanOrEqual(400);
    expect(comparable(short)).toEqual(comparable(long));
    expect(comparable(await kept(lines, 'hello'))).toEqual(comparable(long));
  });

  test('and are counted under one route', async () => {
    const before = await metrics();
    const own = [`Authorization: ${server.bearer}`, later];
    await rawRequest(server.port, publish('length', own));
    await rawRequest(server.port, publish('chunked', own));
    await rawRequest(server.port, publish('length', [...own, 'Svc-Retries: x']));
    const after = await metrics();
    expect(answered(after, 200) - answered(before, 200)).toBe(2);
    expect(answered(after, 400) - answered(before, 400)).toBe(1);
  });
});

test('a hot route takes a body in pieces, then the next request of the connection', async () => {
  const own = [`Authorization: ${server.bearer}`, later, 'Svc-Deduplication-Id: in-pieces'];
  const text = publish('length', own, 'x'.repeat(3000));
  const first = text.replace('Connection: close\r\n', '');
  const socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    answer += piece;
  });
  for (let start = 0; start < first.length; start += 700) {
    socket.write(first.slice(start, start + 700));
    await pause(5);
  }
  socket.write(text);
  await new Promise((resolve) => socket.on('close', resolve));
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '202']);
});

test('a hot route publishes nothing if the client leaves within its body', async () => {
  const backlog = async () => /^stepwell_backlog_messages (\d+)/m.exec(await metrics())?.[1];
  const before = await backlog();
  const own = [`Authorization: ${server.bearer}`, later];
  const socket = connect(server.port, '127.0.0.1', () => {
    socket.write(publish('length', own, 'x'.repeat(3000)).slice(0, -1000), () => socket.destroy());
  });
  await new Promise((resolve) => socket.on('close', resolve));
  await rawRequest(server.port, publish('length', ['Authorization: Bearer stranger']));
  expect(await backlog()).toBe(before);
});
