import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { readAhead } from '../../../src/http/bytes/body-read-ahead.js';
import { LaneRequest } from '../../../src/server/inbound/lane-request.js';

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: stepwell\r\ncontent-length: ${length}\r\n\r\n`;

describe('a request whose body is taken from the parser', () => {
  const answer = (response: ServerResponse, body: Buffer) =>
    response.end(`<${body.toString('latin1')}>`);
  let taken: string[] = [];
  let server: Server;
  let client: Socket;
  let received = '';

  beforeEach(async () => {
    taken = [];
    received = '';
    server = createServer({ IncomingMessage: LaneRequest }, (request, response) => {
      if (request.url === '/stream') {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => answer(response, Buffer.concat(chunks)));
        return;
      }
      if (request.url === '/held') {
        void readAhead(request, { bytesMax: 1024 }).then((body) => {
          received += `(${body}, ${request.takeBody(() => undefined)})`;
          request.on('data', (left: Buffer) => answer(response, left));
        });
        return;
      }
      request.takeBody((body) => {
        taken.push(body.toString('latin1'));
        answer(response, body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.setNoDelay(true);
    client.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    await once(client, 'connect');
  });

  afterEach(async () => {
    client.destroy();
    server.close();
    await once(server, 'close');
  });

  const until = async (text: string) => {
    while (!received.includes(text)) await once(client, 'data');
  };

  it('has its whole body, in whatever pieces that arrives, and others can follow', async () => {
    for (const byte of `${head('/', 5)}piece`) {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until('<piece>');
    client.write(`${head('/', 0)}`);
    await until('<>');
    client.write(`${head('/', 3)}end`);
    await until('<end>');
    expect(taken).toEqual(['piece', '', 'end']);
  });

  it('is distinguished from others that arrive with it', async () => {
    client.write(`${head('/', 3)}one${head('/stream', 3)}two${head('/', 5)}three`);
    await until('<three>');
    expect(received.match(/<\w*>/g)).toEqual(['<one>', '<two>', '<three>']);
    expect(taken).toEqual(['one', 'three']);
  });

  it('leaves a body to its stream if a part of it was read before', async () => {
    client.write(`${head('/held', 5)}piece`);
    await until('<piece>');
    expect(received).toContain('(piece, false)');
  });

  it('is not notified of a body whose client has broken off', async () => {
    const announced = once(server, 'request') as Promise<[LaneRequest]>;
    client.write(`${head('/', 10)}broken`);
    const [{ socket }] = await announced;
    // Do not use `once` of node:events, as it rejects when the parser reports the missing bytes.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    client.destroy();
    await closed;
    expect(taken).toEqual([]);
  });
});
