import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { runProgram } from '../../support/program/program.js';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** The address of a server on this machine, without its scheme. */
async function addressOf(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address object.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How a command ends at this URL. */
async function endAt(url: string): Promise<unknown> {
  const { code, stderr } = await runProgram('/nowhere', ['msg', 'ls'], { STEPWELL_URL: url });
  return [code, stderr];
}

const answering = (text: string) => createHttpServer((_request, response) => response.end(text));

it('a server without TLS at an https address is named as that', async () => {
  const url = `https://${await addressOf(answering('{}'))}`;
  const reason = 'it speaks no TLS that is understood: http:// may be meant';
  expect(await endAt(url)).toEqual([69, `stepwell: no Stepwell answers at ${url} (${reason})\n`]);
});

it('a server of another protocol is named as that', async () => {
  const greeting = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('SSH-2.0-OpenSSH_9.6\r\n');
  });
  const url = `http://${await addressOf(greeting)}`;
  const reason = 'it does not speak HTTP';
  expect(await endAt(url)).toEqual([69, `stepwell: no Stepwell answers at ${url} (${reason})\n`]);
});

it.each([
  ['null', 'an object or a list'],
  ['5', 'an object or a list'],
  ['<h1>hello</h1>', 'JSON'],
])('a server that answers %s is named as one that is no Stepwell', async (text, otherwise) => {
  const url = `http://${await addressOf(answering(text))}`;
  const said = `stepwell: ${url} answered something else than ${otherwise}\n`;
  expect(await endAt(url)).toEqual([1, said]);
});
