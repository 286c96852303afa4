/** `stepwell msg`: commands for a message, from its publish to its end. */
import { Command, Option } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type Client,
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
  listOption,
  requireAll,
  withEach,
} from '../client/client-command.js';
import type { ApiObject, Query } from '../connect/api-client.js';
import { pathPart } from '../connect/path-part.js';
import { fieldLines, labelsOf, logLine, messageColumns, textOf } from '../output/columns.js';
import { intactRows } from '../output/intact-rows.js';
import { shownState } from '../output/style.js';
import { exactTime } from '../output/time-words.js';
import { whyLines } from '../output/why-lines.js';
import { type PublishOptions, publishHeaders, withMessageOptions } from './publish-options.js';
import { watched } from './watched-message.js';

const waitingStates = ['delayed', 'waiting', 'active', 'retry'];

/** Queries a running server; an unknown id ends the command with exit code 66. */
export function msgCommand(): Command {
  const msg = new Command('msg').description('publish, list and inspect messages');
  msg.addCommand(publishCommand());
  msg.addCommand(
    clientCommand('ls', 'list messages that are not final, newest first', [
      'stepwell msg ls --state retry',
      'stepwell msg ls --label invoice --json | jq .url',
    ])
      .addOption(new Option('--state <state>', 'in this state').choices(waitingStates))
      .option('--label <label>', 'with this label; may be repeated', listOption)
      .option('--to <url>', 'to this URL')
      .option('--queue <name>', 'of this queue')
      .option('--flow-key <key>', 'of this flow-control key')
      .option('--run <id>', 'of this run')
      .option('--count <count>', 'the most rows to show', countOption, 50)
      .action(list),
  );
  msg.addCommand(
    clientCommand('get', 'show one message and what has happened to it', [
      'stepwell msg get msg_1',
      'stepwell msg get msg_1 --json | jq .state',
    ])
      .argument('<id>')
      .action(get),
  );
  msg.addCommand(
    clientCommand('why', 'say what a message waits for', ['stepwell msg why msg_1'])
      .argument('<id>')
      .action(why),
  );
  msg.addCommand(
    clientCommand('deliver', 'start the next attempt now, without waiting for its delay or retry', [
      'stepwell msg deliver msg_1 msg_2',
    ])
      .argument('<id...>')
      .action(deliver),
  );
  msg.addCommand(
    clientCommand('cancel', 'cancel messages that are not final', [
      'stepwell msg cancel msg_1 msg_2',
    ])
      .argument('<id...>')
      .action(cancel),
  );
  return msg;
}

function publishCommand(): Command {
  const command = clientCommand('publish', 'publish a message to a URL or a URL group', [
    'stepwell msg publish https://example.com/hook -d \'{"order":1}\' --retries 5',
    'stepwell msg publish https://example.com/hook -d @order.json --label order --watch',
    'cat order.json | stepwell msg publish my-url-group -d -',
  ])
    .argument('<destination>', 'a URL, or the name of a URL group')
    .option('-d, --data <body>', 'the body: text, @file, or - for standard input')
    .option(
      '--watch',
      'wait for it to end and show its log; the exit code is 1 unless it is delivered',
    );
  return withMessageOptions(command).action(publish);
}

interface PublishCommandOptions extends ClientOptions, PublishOptions {
  readonly data?: string;
  readonly watch?: boolean;
}

async function publish(destination: string, options: PublishCommandOptions): Promise<void> {
  const client = await connect(options);
  const { api, output } = client;
  const { data, watch } = options;
  const body = data === undefined ? undefined : await bodyOf(data);
  const path = `/v2/publish/${pathPart(destination)}`;
  const headers = publishHeaders(options, api.address.dialect);
  const answer = await api.post<ApiObject | readonly ApiObject[]>(path, { headers, body });
  // `flat` loses the type, as it does not remove `readonly` from lists.
  for (const one of [answer].flat() as ApiObject[]) {
    await output.one(one, () => [publishedLine(one)]);
    const isFine =
      one['error'] === undefined && (watch !== true || (await watchUntilDelivered(client, one)));
    if (!isFine) process.exitCode = exitCodes.failure;
  }
}

/** Shows what happens to a message until it has ended; returns whether it was delivered. */
async function watchUntilDelivered(
  { api, output }: Client,
  published: ApiObject,
): Promise<boolean> {
  let state: unknown;
  const rows = async function* () {
    for await (const row of watched(api, textOf(published, 'messageId'))) {
      state = row['state'];
      yield row;
    }
  };
  await output.stream(rows(), (row) => logLine(row, output.paint));
  return state === 'DELIVERED';
}

/** Loaded only when needed, as reading files loads the disk module. */
async function bodyOf(text: string): Promise<Buffer> {
  const { givenBody } = await import('../connect/given-body.js');
  return givenBody(text);
}

function publishedLine(answer: ApiObject): string {
  const { messageId, url, scheduleId, deduplicated, error } = answer;
  if (error !== undefined) return `refused: ${String(error)}`;
  if (scheduleId !== undefined) return `schedule ${String(scheduleId)}`;
  const verb = deduplicated === true ? 'is a duplicate of' : 'published';
  return deduplicated === true
    ? `it ${verb} ${String(messageId)}`
    : `${verb} ${String(messageId)} to ${String(url)}`;
}

interface ListOptions extends ClientOptions {
  readonly state?: string;
  readonly label?: readonly string[];
  readonly to?: string;
  readonly queue?: string;
  readonly flowKey?: string;
  readonly run?: string;
  readonly count: number;
}

async function list(options: ListOptions): Promise<void> {
  const { api, output } = await connect(options);
  const query: Query = {
    state: options.state?.toUpperCase(),
    label: options.label,
    url: options.to,
    queueName: options.queue,
    flowControlKey: options.flowKey,
    workflowRunId: options.run,
  };
  const rows = api.list('/v2/messages', 'messages', query, options.count);
  const none = 'no message waits; stepwell msg publish URL -d hello publishes one';
  await output.rows(rows, messageColumns(api.now), none);
}

/** More rows than any message has that people look at. */
const rowsMax = 10_000;
/**
 * How many bytes of a body a row shows: all that is kept of an answer, and the start of a message.
 */
const bodyMax = 64 * 1024;
/** How much of a longer body is shown: about a screen. */
const shownMax = 2000;

function shownBody(message: ApiObject): string {
  const body = textOf(message, 'body');
  const bytes = Buffer.from(textOf(message, 'bodyBase64'), 'base64').length;
  if (bytes > 0) return `${bytes} bytes that are not text; --json shows them as Base64`;
  if (body.length <= shownMax) return body;
  return `${body.slice(0, shownMax)}… (${body.length} characters; --json shows all of them)`;
}

async function get(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const path = `/v2/messages/${pathPart(id)}`;
  const message = await api.get(path, { final: true });
  const query = { messageId: id, order: 'earliestFirst', trimBody: bodyMax };
  const logs: ApiObject[] = [];
  const rows = api.list('/v2/logs', 'logs', query, rowsMax);
  for await (const row of intactRows(rows)) logs.push(row);
  await output.one({ ...message, logs }, () => [
    ...fieldLines(
      [
        ['message', textOf(message, 'messageId')],
        ['state', shownState(textOf(message, 'state'), output.paint)],
        ['to', `${textOf(message, 'method')} ${textOf(message, 'url')}`],
        ['created', exactTime(Number(message['createdAt']))],
        ['label', labelsOf(message)],
        ['queue', textOf(message, 'queueName')],
        ['flow control', textOf(message, 'flowControlKey')],
        ['schedule', textOf(message, 'scheduleId')],
        ['retries', textOf(message, 'maxRetries')],
        ['body', shownBody(message)],
      ],
      output.paint,
    ),
    '',
    ...logs.map((row) => logLine(row, output.paint)),
  ]);
}

async function why(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const reason = await api.get(`/v2/messages/${pathPart(id)}/why`);
  await output.one(reason, () => whyLines(reason, api.now(), output.paint));
}

async function deliver(ids: readonly string[], options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await withEach('message', ids, async (id) => {
    const answer = await api.post(`/v2/messages/${pathPart(id)}/deliver`);
    await output.one(answer, () => [`${id} no longer waits for its time`]);
  });
}

async function cancel(ids: readonly string[], options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const [only] = ids;
  const answer =
    ids.length === 1 && only !== undefined
      ? await api.delete(`/v2/messages/${pathPart(only)}`)
      : await api.delete('/v2/messages', { query: { messageIds: ids } });
  await output.one(answer, () => [`canceled ${textOf(answer, 'cancelled')}`]);
  requireAll('message', Number(answer['cancelled']), ids);
}
