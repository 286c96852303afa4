/**
 * A client may keep thousands of idle connections open. The body of the last request of each must
 * not stay in memory, where no limit of bytes counts it.
 */
import { KeptConnection } from '../../support/clients/kept-connection.js';
import { keptBytes } from '../../support/program/kept-bytes.js';
import { startServer, type TestServer } from '../../support/server.js';

const bodyBytes = 512 * 1024;
const connections = 16;

let server: TestServer;
const open: KeptConnection[] = [];

beforeAll(async () => {
  server = await startServer();
});

afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

afterAll(() => server.remove());

const text = 'x'.repeat(bodyBytes);
const delayed = { destination: 'http://127.0.0.1:9/', headers: { 'upstash-delay': '1h' } };

describe('an idle connection keeps nothing of the body of its last request', () => {
  it.each([
    ['of a batch', '/v2/batch', JSON.stringify([{ ...delayed, body: text }]), 200],
    ['of records', '/produce', JSON.stringify({ topic: 'kept', value: text }), 200],
    ['of a request that was refused', '/v2/publish/ftp://127.0.0.1/', text, 400],
  ])('%s', async (_, path, body, status) => {
    const authorization = path === '/produce' ? server.basic : server.bearer;
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n`;
    const request = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    const before = await keptBytes();
    for (let count = 0; count < connections; count += 1) {
      const connection = await KeptConnection.open(server.port);
      open.push(connection);
      expect(await connection.ask(request)).toMatch(`HTTP/1.1 ${status} `);
    }
    expect((await keptBytes()) - before).toBeLessThan((connections * bodyBytes) / 4);
    expect(open.every(({ isClosed }) => !isClosed)).toBe(true);
  });
});
