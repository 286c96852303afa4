/** `stepwell sink`: an endpoint for experiments, which answers as its options say. */
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { systemClock } from '../../engine/clock.js';
import { parseDuration } from '../../grammar/duration.js';
import { listeningPort } from '../../http/listening-port.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from '../connect/client-errors.js';
import { examplesText } from '../output/examples.js';
import { Output, type OutputOptions } from '../output/output.js';
import { exactTime } from '../output/time-words.js';
import { oneLine } from '../output/visible.js';

/** Needs no running server: it listens on loopback itself, until it is interrupted. */
export function sinkCommand(): Command {
  return new Command('sink')
    .description('an endpoint for tests, which answers deliveries as you choose')
    .argument('[port]', 'the port on loopback (without it, any free port)', portOption, 0)
    .option('--status <status>', 'the status of its answers', statusOption, 200)
    .option(
      '--fail <count>',
      'how many deliveries of each message fail with 500 first',
      numberOption,
      0,
    )
    .option('--slow <duration>', 'how long it waits before it answers: 3s', durationOption, 0)
    .option('--json', 'print JSON, one delivery per line, also on a terminal')
    .addHelpText(
      'after',
      examplesText(['stepwell sink 9000 --fail 2 --slow 3s', 'stepwell sink --status 429']),
    )
    .action(listen);
}

interface SinkOptions extends OutputOptions {
  readonly status: number;
  readonly fail: number;
  readonly slow: number;
}

/** How many messages' deliveries are counted; the counts of older messages are dropped. */
const messagesMax = 10_000;
/** How many characters of a body are shown. */
const bodyMax = 200;

async function listen(port: number, options: SinkOptions): Promise<void> {
  const output = new Output(options);
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${listeningPort(server)}`;
  // The output is no longer read (`| head`); as with any filter, that ends the process.
  process.stdout.once('error', () => server.close().closeAllConnections());
  await output.one({ url }, () => [`${url} answers ${wordsOf(options)}; Ctrl-C ends it`]);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const { headers } = request;
    const id = String(headers['svc-message-id'] ?? headers['upstash-message-id'] ?? '');
    const attempt = count(id);
    await pause(options.slow);
    const status = attempt <= options.fail ? 500 : options.status;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(STATUS_CODES[status]);
    const row = {
      time: systemClock.now(),
      method: request.method,
      path: request.url,
      messageId: id,
      attempt,
      status,
      body,
    };
    await output.one(row, () => [
      [
        output.paint('dim', exactTime(row.time)),
        output.paint(status < 300 ? 'green' : 'red', String(status)),
        `${row.method} ${row.path}`,
        id,
        attempt > 1 ? `attempt ${attempt}` : '',
        oneLine(body.length > bodyMax ? `${body.slice(0, bodyMax)}…` : body),
      ]
        .filter((part) => part !== '')
        .join('  '),
    ]);
  }

  function count(id: string): number {
    const attempt = (seen.get(id) ?? 0) + 1;
    seen.delete(id);
    seen.set(id, attempt);
    const [oldest] = seen.keys();
    if (seen.size > messagesMax && oldest !== undefined) seen.delete(oldest);
    return attempt;
  }
}

/** Turns an error of `listen` into a message that says what a person can do about it. */
function listenError(port: number, error: Error): Error {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new ClientError(
        `port ${port} is in use by another program; give another port, or none for any free one`,
        exitCodes.inUse,
      );
    case 'EACCES':
      return new ClientError(`port ${port} cannot be opened by this user`, exitCodes.usage);
    default:
      return error;
  }
}

function wordsOf({ status, fail, slow }: SinkOptions): string {
  const parts = [`${status}`];
  if (fail > 0) parts.push(`after ${fail} failures with 500 for each message`);
  if (slow > 0) parts.push(`${slow} ms late`);
  return parts.join(', ');
}

function numberOption(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function portOption(text: string): number {
  const port = numberOption(text);
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is at most 65535.');
}

function statusOption(text: string): number {
  const status = numberOption(text);
  if (status >= 200 && status <= 599) return status;
  throw new InvalidArgumentError('A status is a number from 200 to 599.');
}

function durationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration.ok) return duration.value;
  throw new InvalidArgumentError('Write a duration as 3s or 1m30s.');
}
