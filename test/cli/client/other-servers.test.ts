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

/** The exit code and the error output of a command for this URL. */
async function endAt(url: string): Promise<unknown> {
  const { code, stderr } = await runProgram('/nowhere', ['msg', 'ls'], { STEPWELL_URL: url });
  return [code, stderr];
}

const answering = (text: string) => createHttpServer((_request, response) => response.end(text));

it('a server without TLS at an https address gets its own error', async () => {
  const url = `https://${await addressOf(answering('{}'))}`;
  const reason = 'its TLS cannot be understood: perhaps the URL should begin with http://';
  expect(await endAt(url)).toEqual([69, `stepwell: no Stepwell answers at ${url} (${reason})\n`]);
});

it('a server of another protocol gets its own error', async () => {
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
])('a server that answers %s is reported as no Stepwell server', async (text, otherwise) => {
  const url = `http://${await addressOf(answering(text))}`;
  const said = `stepwell: ${url} did not answer with ${otherwise}\n`;
  expect(await endAt(url)).toEqual([1, said]);
});

it.each([
  ['msg ls', { messageId: 'msg_1' }],
  ['dlq export', { messageId: 'msg_1' }],
  ['dlq ls --by error', { count: 1 }],
  ['msg get msg_1', { messageId: 'msg_1', logs: [{ state: 'CREATED' }] }],
])('%s shows what the server could read, then what it could not', async (words, shown) => {
  const damaged = [{ error: 'data on the disk is damaged: a.log [0, 9)' }];
  const damagedServer = createHttpServer(({ url = '' }, response) => {
    const message = { messageId: 'msg_1' };
    const list = url.startsWith('/v2/logs')
      ? { logs: [{ state: 'CREATED' }], damaged }
      : { messages: [message], groups: [{ count: 1 }], damaged };
    response.end(JSON.stringify(url.startsWith('/v2/messages/') ? message : list));
  });
  const url = `http://${await addressOf(damagedServer)}`;
  const end = await runProgram('/nowhere', words.split(' '), { STEPWELL_URL: url });
  const said = 'stepwell: rows are missing: data on the disk is damaged: a.log [0, 9)\n';
  expect([end.code, JSON.parse(end.stdout), end.stderr]).toEqual([65, shown, said]);
});

it.each([
  ['msg ls', 302, 64],
  ['run tail order-7', 204, 0],
])('%s ends at once on the answer %d if the connection stays', async (words, status, code) => {
  const staying = createHttpServer((_request, response) => {
    response.writeHead(status, { location: 'https://other.test/' }).end();
  });
  staying.keepAliveTimeout = 0;
  const url = `http://${await addressOf(staying)}`;
  const end = await runProgram('/nowhere', words.split(' '), { STEPWELL_URL: url });
  staying.closeAllConnections();
  // A command that does not end is killed, and then has no exit code.
  expect([end.code, end.stderr !== '']).toEqual([code, status === 302]);
});

it.each([502, 503, 504])('%d from a proxy means that no server answers', async (status) => {
  const away = createHttpServer((_request, response) => response.writeHead(status).end('away'));
  const url = `http://${await addressOf(away)}`;
  expect(await endAt(url)).toEqual([69, `stepwell: ${url} answered ${status}\n`]);
});

it('run tail ends with 65 if the rows of the run are damaged', async () => {
  const damaged = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('event: error\ndata: {"error":"data on the disk is damaged"}\n\n');
  });
  const url = `http://${await addressOf(damaged)}`;
  const end = await runProgram('/nowhere', ['run', 'tail', 'order-7'], { STEPWELL_URL: url });
  expect([end.code, end.stderr]).toEqual([65, 'stepwell: data on the disk is damaged\n']);
});

it('topic produce says which lines may not be stored if the connection was cut', async () => {
  const cutting = createHttpServer((request, response) => {
    request.resume();
    response.destroy();
  });
  const url = `http://${await addressOf(cutting)}`;
  const environment = { STEPWELL_URL: url };
  const wrapper = ['sh', '-c', 'printf "a\\nb\\n" | "$@"', 'sh'];
  const words = ['topic', 'produce', 'rides', '-', '--lines'];
  const { code, stderr } = await runProgram('/nowhere', words, environment, wrapper);
  const reason = `no Stepwell answers at ${url} (the connection was cut)`;
  expect([code, stderr]).toEqual([69, `stepwell: lines 1 to 2 may not be stored: ${reason}\n`]);
});
