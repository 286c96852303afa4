import { request as nodeRequest } from 'node:http';
import type { FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { request } from 'undici';
import { acceptRawBodies, rawBody } from '../../../src/http/routes/raw-body.js';
import { rawRequest, statusOf } from '../../support/clients/raw-request.js';

const fastify = Fastify({ bodyLimit: 1000, exposeHeadRoutes: false });
const seen: FastifyRequest[] = [];
let url = '';

beforeAll(async () => {
  acceptRawBodies(fastify);
  const handler = (incoming: FastifyRequest) => {
    seen.push(incoming);
    return rawBody(incoming).toString('hex');
  };
  fastify.route({ method: ['GET', 'POST'], url: '/*', handler });
  fastify.post('/large', { bodyLimit: 2000 }, handler);
  url = await fastify.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => fastify.close());

const port = () => Number(new URL(url).port);

test.each([
  ['application/json', '{"broken": '],
  ['application/x-www-form-urlencoded', 'a=%zz'],
  ['text/plain; charset=utf-16', 'hello'],
  ['application/octet-stream', '\u0000\u00ff'],
  ['text/plain, text/html', 'two types'],
  ['json', '{}'],
  ['', 'none'],
])('a body of type %s is unchanged', async (type, body) => {
  const { body: answer } = await request(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: Buffer.from(body, 'latin1'),
  });
  expect(await answer.text()).toBe(Buffer.from(body, 'latin1').toString('hex'));
});

test('a body without a type, and no body at all, are bytes too', async () => {
  const bare = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
  expect(await rawRequest(port(), `${bare}Content-Length: 2\r\n\r\nab`)).toMatch(/\r\n\r\n6162$/);
  expect(await rawRequest(port(), `${bare}\r\n`)).toMatch(/\r\n\r\n$/);
});

test('a GET may have a body', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const outgoing = nodeRequest(url, { method: 'GET', headers: { 'content-length': '2' } });
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      incoming.on('end', () => resolve(text));
    });
    outgoing.on('error', reject);
    outgoing.end('ab');
  });
  expect(answer).toBe('6162');
});

test.each([
  ['/', 1000, 200],
  ['/', 1001, 413],
  ['/large', 2000, 200],
  ['/large', 2001, 413],
])('the limit of %s lets %i bytes end with %i', async (path, length, status) => {
  const body = Buffer.alloc(length, 97);
  const { statusCode } = await request(`${url}${path}`, { method: 'POST', body });
  expect(statusCode).toBe(status);
});

test('the limit counts bytes if no length is given', async () => {
  const chunk = `400\r\n${'a'.repeat(1024)}\r\n0\r\n\r\n`;
  const answer = await rawRequest(
    port(),
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}`,
  );
  expect(statusOf(answer)).toBe(413);
});

test('two slashes in a path are kept', async () => {
  await request(`${url}/v2/publish/https://ex.test//a/?b=c`, { method: 'POST' });
  expect(seen.at(-1)?.url).toBe('/v2/publish/https://ex.test//a/?b=c');
});
