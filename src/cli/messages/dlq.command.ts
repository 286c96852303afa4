/** `stepwell dlq`: messages and runs that have failed for good. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseIsoTime } from '../../grammar/iso-time.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
  listOption,
  requireAll,
} from '../client/client-command.js';
import type { ApiObject, Query } from '../connect/api-client.js';
import { ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import {
  fieldColumn,
  fieldLines,
  headersOf,
  labelColumn,
  labelsOf,
  type Now,
  textOf,
} from '../output/columns.js';
import type { Paint } from '../output/style.js';
import type { TableColumn } from '../output/table.js';
import { printLines } from '../output/terminal.js';
import { exactTime, relativeTime } from '../output/time-words.js';
import { listGroups } from './letter-groups.js';
import { runJob } from './server-job.js';

/** The filters of `ls`, `retry`, `delete` and `export`. */
interface LetterFilter {
  readonly label?: readonly string[];
  readonly to?: string;
  readonly queue?: string;
  readonly status?: string;
  readonly error?: string;
  readonly since?: string;
}

/**
 * A job of the server processes the letters that filters select; it continues if this process ends.
 */
export function dlqCommand(): Command {
  const dlq = new Command('dlq').description('messages and runs that have failed for good');
  dlq.addCommand(
    filtered(
      clientCommand('ls', 'list dead letters, newest first', [
        'stepwell dlq ls --status 500',
        'stepwell dlq ls --by error',
      ]),
    )
      .addOption(
        new Option('--by <what>', 'count them by kind, instead of listing each').choices(['error']),
      )
      .option('--runs', 'failed runs, instead of messages')
      .option('--count <count>', 'the most rows to show', countOption, 50)
      .action(list),
  );
  dlq.addCommand(
    clientCommand('get', 'show one dead letter', ['stepwell dlq get 1795432750758-120'])
      .argument('<id>')
      .action(get),
  );
  dlq.addCommand(
    filtered(
      clientCommand('retry', 'publish dead letters again: those given, or all that match', [
        'stepwell dlq retry 1795432750758-120',
        'stepwell dlq retry --all --label invoice --dry-run',
        'stepwell dlq retry --all --rate 50/s',
      ]),
    )
      .argument('[id...]')
      .option('--all', 'all that match the filters')
      .option('--dry-run', 'show which, and change nothing')
      .option('--rate <rate>', 'the highest rate: 50/s, 10/m', rateOption)
      .action((ids: readonly string[], options: BulkOptions) => bulk('retry', ids, options)),
  );
  dlq.addCommand(
    filtered(
      clientCommand('delete', 'delete dead letters: those given, or all that match', [
        'stepwell dlq delete 1795432750758-120',
        'stepwell dlq delete --all --label test --dry-run',
      ]),
    )
      .argument('[id...]')
      .option('--all', 'all that match the filters')
      .option('--dry-run', 'show which, and change nothing')
      .action((ids: readonly string[], options: BulkOptions) => bulk('delete', ids, options)),
  );
  dlq.addCommand(
    filtered(
      clientCommand('export', 'write dead letters with their bodies, one JSON object per line', [
        'stepwell dlq export > letters.ndjson',
      ]),
    ).action(exportAll),
  );
  return dlq;
}

function filtered(command: Command): Command {
  return command
    .option('--label <label>', 'with this label; may be repeated', listOption)
    .option('--to <url>', 'to this URL')
    .option('--queue <name>', 'of this queue')
    .option('--status <status>', 'last answered with this status; 0 = no answer')
    .option('--error <error>', 'failed with this error, as "ls --by error" shows it')
    .option('--since <time>', 'failed since this time (ISO 8601 or Unix milliseconds)', timeOption);
}

function queryOf({ label, to, queue, status, error, since }: LetterFilter): Query {
  return {
    label,
    url: to,
    queueName: queue,
    responseStatus: status,
    error,
    fromDate: since,
  };
}

/**
 * Unix milliseconds, as the server reads them. Times since 1973 have twelve digits or more; a
 * shorter number is probably meant as something else, such as days, and would match every letter.
 */
function timeOption(text: string): string {
  if (/^\d{12,15}$/.test(text)) return text;
  const at = parseIsoTime(text);
  if (at.ok) return String(at.value);
  throw new InvalidArgumentError(
    'Write a time as 2027-01-31, 2027-01-31T08:00Z, or Unix milliseconds.',
  );
}

interface ListOptions extends ClientOptions, LetterFilter {
  readonly runs?: boolean;
  readonly by?: 'error';
  readonly count: number;
}

async function list(options: ListOptions): Promise<void> {
  const { api, output } = await connect(options);
  if (options.by === 'error') {
    if (options.runs === true)
      throw new ClientError('--by cannot be combined with --runs', exitCodes.usage);
    await listGroups(api, output, queryOf(options), options.count);
    return;
  }
  const path = options.runs === true ? '/v2/workflows/dlq' : '/v2/dlq';
  const rows = api.list(path, 'messages', queryOf(options), options.count);
  await output.rows(rows, letterColumns(api.now, options.runs === true), 'no dead letter');
}

function letterColumns(now: Now, isRun: boolean): readonly TableColumn<ApiObject>[] {
  return [
    fieldColumn('dead letter', 'dlqId'),
    isRun ? fieldColumn('run', 'workflowRunId') : fieldColumn('message', 'messageId'),
    { title: 'failed', text: (row) => relativeTime(failedAtOf(row), now()) },
    { title: 'answer', text: answerOf },
    labelColumn(),
    fieldColumn('url', isRun ? 'workflowUrl' : 'url', { yields: true }),
  ];
}

async function get(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const letter = await api.get(`/v2/dlq/${pathPart(id)}`);
  await output.one(letter, () => letterLines(letter, api.now(), output.paint));
}

function letterLines(letter: ApiObject, now: number, paint: Paint): string[] {
  const text = (field: string) => textOf(letter, field);
  const failedAt = failedAtOf(letter);
  return fieldLines(
    [
      ['dead letter', text('dlqId')],
      ['message', text('messageId')],
      ['run', text('workflowRunId')],
      ['failed', `${exactTime(failedAt)}, ${relativeTime(failedAt, now)}`],
      ['to', `${text('method')} ${text('url')}`],
      ['answer', answerOf(letter, paint)],
      ['', text('responseBody') || text('responseBodyBase64')],
      ['label', labelsOf(letter)],
      ['queue', text('queueName')],
      ['flow control', text('flowControlKey')],
      ['schedule', text('scheduleId')],
      ['retries', text('maxRetries')],
      ['headers', headersOf(letter)],
      ['body', text('body') || text('bodyBase64')],
    ],
    paint,
  );
}

/** The id begins with the time of the failure (messaging.md 10). */
function failedAtOf(letter: ApiObject): number {
  return Number.parseInt(textOf(letter, 'dlqId'), 10);
}

function answerOf(letter: ApiObject, paint: Paint): string {
  const status = Number(letter['responseStatus'] ?? 0);
  return paint('red', status === 0 ? 'none' : String(status));
}

interface BulkOptions extends ClientOptions, LetterFilter {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly rate?: string;
}

/**
 * Processes the named letters, or with `--all` every letter that matches, in a job of the server.
 */
async function bulk(verb: LetterVerb, ids: readonly string[], options: BulkOptions): Promise<void> {
  const { api, output } = await connect(options);
  if (ids.length === 0 && options.all !== true) {
    throw new ClientError('give the ids of dead letters, or --all', exitCodes.usage);
  }
  if (ids.length > 0 && options.all === true) {
    throw new ClientError(
      '--all selects all that match; give either ids or --all',
      exitCodes.usage,
    );
  }
  const filters = queryOf(options);
  // The API uses only the ids if it gets both, so it would ignore a filter meant to exclude some.
  if (ids.length > 0 && Object.values(filters).some((filter) => filter !== undefined)) {
    throw new ClientError('filters need --all; give either ids or filters', exitCodes.usage);
  }
  const query: Query = ids.length > 0 ? { dlqIds: ids } : filters;
  if (options.dryRun === true) {
    const seen = counted(api.list('/v2/dlq', 'messages', query, Number.POSITIVE_INFINITY));
    await output.rows(seen.rows, letterColumns(api.now, false), 'no dead letter matches');
    requireAll('dead letter', seen.count(), ids);
    return;
  }
  const work = { verb, over: 'deadLetters', filter: query, rate: options.rate };
  const { matched } = await runJob(api, output, work, pastOf[verb]);
  requireAll('dead letter', Number(matched), ids);
}

/** The rows, and a function that returns how many were read. */
function counted(all: AsyncIterable<ApiObject>) {
  let count = 0;
  async function* rows(): AsyncGenerator<ApiObject> {
    for await (const row of all) {
      count += 1;
      yield row;
    }
  }
  return { rows: rows(), count: () => count };
}

/** The actions on dead letters, and the word for a completed one. */
type LetterVerb = 'retry' | 'delete';
const pastOf: Readonly<Record<LetterVerb, string>> = { retry: 'retried', delete: 'deleted' };

async function exportAll(options: ClientOptions & LetterFilter): Promise<void> {
  const { api } = await connect(options);
  const letters = api.list('/v2/dlq', 'messages', queryOf(options), Number.POSITIVE_INFINITY);
  await printLines(linesOf(letters));
}

async function* linesOf(letters: AsyncIterable<ApiObject>): AsyncGenerator<string> {
  for await (const letter of letters) yield JSON.stringify(letter);
}

/** `50/s` or `10/m`; the server parses it. */
function rateOption(text: string): string {
  if (/^\d+(?:\.\d+)?\/[smh]$/.test(text) && Number.parseFloat(text) > 0) return text;
  throw new InvalidArgumentError(
    'Write a rate as a number per second, minute or hour: 50/s, 10/m.',
  );
}
