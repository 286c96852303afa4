/** `stepwell sched`: messages that are published repeatedly on a schedule. */
import { Command } from 'commander';
import { fieldsOf } from '../../grammar/json.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import {
  fieldColumn,
  fieldLines,
  headersOf,
  labelsOf,
  momentOf,
  type Now,
  textOf,
  timeColumn,
} from '../output/columns.js';
import { type Paint, shownState } from '../output/style.js';
import type { TableColumn } from '../output/table.js';
import { exactTime, relativeTime } from '../output/time-words.js';
import {
  optionPrefix,
  type PublishOptions,
  publishHeaders,
  withPublishOptions,
} from './publish-options.js';

/** Uses `/v2/schedules` of a running server. */
export function schedCommand(): Command {
  const sched = new Command('sched').description('schedules');
  sched.addCommand(
    clientCommand('ls', 'list schedules, oldest first', ['stepwell sched ls --count 200'])
      .option('--count <count>', 'the most rows to show', countOption, 50)
      .action(list),
  );
  sched.addCommand(
    clientCommand('get', 'show one schedule', ['stepwell sched get daily'])
      .argument('<id>')
      .action(get),
  );
  sched.addCommand(
    clientCommand('next', 'show the next times of a schedule', [
      'stepwell sched next daily --count 10',
    ])
      .argument('<id>')
      .option('--count <count>', 'how many times, 1000 at most', countOption, 5)
      .action(next),
  );
  sched.addCommand(createCommand());
  sched.addCommand(
    clientCommand('trigger', 'publish the message of a schedule now; its times do not change', [
      'stepwell sched trigger daily',
    ])
      .argument('<id>')
      .action(trigger),
  );
  for (const verb of ['pause', 'resume'] as const) {
    const summary = verb === 'pause' ? 'skip its triggers from now on' : 'trigger again';
    sched.addCommand(
      clientCommand(verb, summary, [`stepwell sched ${verb} daily`])
        .argument('<id>')
        .action((id: string, options: ClientOptions) => change(id, verb, options)),
    );
  }
  sched.addCommand(
    clientCommand('delete', 'delete a schedule; its published messages stay', [
      'stepwell sched delete daily',
    ])
      .argument('<id>')
      .action(remove),
  );
  return sched;
}

function createCommand(): Command {
  const command = clientCommand('create', 'publish to a destination on a schedule', [
    "stepwell sched create https://example.com/r --cron '0 9 * * 1-5' --zone Europe/Berlin",
    "stepwell sched create https://example.com/ping --cron '*/5 * * * *' --id ping -d '{}'",
  ])
    .argument('<destination>', 'a URL, or the name of a URL group')
    .requiredOption('--cron <expression>', 'minute, hour, day, month, weekday')
    .option('--zone <zone>', 'time zone of the expression, such as Europe/Berlin (default: UTC)')
    .option('--id <id>', 'its name; an existing schedule with this name is replaced')
    .option('-d, --data <body>', 'the body: text, @file, or - for standard input');
  return withPublishOptions(command).action(create);
}

function columns(now: Now): readonly TableColumn<ApiObject>[] {
  return [
    fieldColumn('schedule', 'scheduleId'),
    { title: 'state', text: stateOf },
    fieldColumn('cron', 'cron'),
    timeColumn('last', 'lastScheduleTime', now),
    timeColumn('next', 'nextScheduleTime', now),
    fieldColumn('destination', 'destination', { yields: true }),
  ];
}

async function list(options: ClientOptions & { readonly count: number }): Promise<void> {
  const { api, output } = await connect(options);
  const rows = api.list('/v2/schedules', 'schedules', {}, options.count);
  await output.rows(rows, columns(api.now), 'no schedule');
}

async function get(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const schedule = await api.get(`/v2/schedules/${pathPart(id)}`);
  await output.one(schedule, () => scheduleLines(schedule, api.now(), output.paint));
}

function scheduleLines(schedule: ApiObject, now: number, paint: Paint): string[] {
  const text = (field: string) => textOf(schedule, field);
  const last = [momentOf(schedule, 'lastScheduleTime', now), ...lastStates(schedule, paint)];
  return fieldLines(
    [
      ['schedule', text('scheduleId')],
      ['state', stateOf(schedule, paint)],
      ['cron', text('cron')],
      ['to', `${text('method')} ${text('destination')}`],
      ['created', exactTime(Number(schedule['createdAt']))],
      ['last', last.filter((each) => each !== '').join(', ')],
      ['next', momentOf(schedule, 'nextScheduleTime', now)],
      ['label', labelsOf(schedule)],
      ['queue', text('queueName')],
      ['flow control', text('flowControlKey')],
      ['retries', text('retries')],
      ['callback', text('callback')],
      ['on failure', text('failureCallback')],
      ['headers', headersOf(schedule)],
      ['body', text('body') || text('bodyBase64')],
    ],
    paint,
  );
}

/** The states of the latest messages, counted: for a URL group there may be hundreds. */
function lastStates(schedule: ApiObject, paint: Paint): string[] {
  const messages = Object.entries(fieldsOf(schedule['lastScheduleStates']));
  const counts = new Map<string, number>();
  for (const [, state] of messages) {
    counts.set(String(state), (counts.get(String(state)) ?? 0) + 1);
  }
  const [only] = messages;
  return [...counts].map(([state, count]) => {
    const what = messages.length === 1 && only !== undefined ? only[0] : String(count);
    return `${what} ${shownState(state, paint)}`;
  });
}

function stateOf({ isPaused }: ApiObject, paint: Paint): string {
  return shownState(isPaused === true ? 'paused' : 'running', paint);
}

/** When a schedule triggers, in Unix ms (messaging.md 7.1). */
interface NextTimes {
  readonly cron: string;
  readonly zone: string;
  readonly isPaused: boolean;
  readonly times: readonly number[];
}

async function next(
  id: string,
  options: ClientOptions & { readonly count: number },
): Promise<void> {
  const { api, output } = await connect(options);
  const { count } = options;
  const path = `/v2/schedules/${pathPart(id)}/next`;
  const answer = await api.get<NextTimes>(path, { count });
  const { cron, zone, isPaused, times } = answer;
  const now = api.now();
  await output.one(answer, () => [
    `${cron} in ${zone}${isPaused ? ', paused: it will skip these' : ''}`,
    ...times.map((at) => `${exactTime(at)}  ${relativeTime(at, now)}`),
  ]);
}

async function trigger(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const answer = await api.post(`/v2/schedules/${pathPart(id)}/trigger`);
  const ids = itemsIn<string>(answer, 'messageIds');
  await output.one(answer, () => ids.map((one) => `published ${one}`));
}

interface CreateOptions extends ClientOptions, PublishOptions {
  readonly cron: string;
  readonly zone?: string;
  readonly id?: string;
  readonly data?: string;
}

async function create(destination: string, options: CreateOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { cron, zone, id, data } = options;
  if (zone !== undefined && /^\s*CRON_TZ=/.test(cron)) {
    throw new ClientError('--cron already names a zone; give only one of them', exitCodes.usage);
  }
  const { givenBody } = await import('../connect/given-body.js');
  const { dialect } = api.address;
  const prefix = optionPrefix(dialect ?? 'svc');
  const answer = await api.post(`/v2/schedules/${pathPart(destination)}`, {
    headers: {
      ...publishHeaders(options, dialect),
      [`${prefix}cron`]: zone === undefined ? cron : `CRON_TZ=${zone} ${cron}`,
      ...(id !== undefined && { [`${prefix}schedule-id`]: id }),
    },
    body: data === undefined ? undefined : await givenBody(data),
  });
  await output.one(answer, () => [`schedule ${textOf(answer, 'scheduleId')}`]);
}

async function change(id: string, verb: 'pause' | 'resume', options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.post(`/v2/schedules/${pathPart(id)}/${verb}`);
  await output.one({ scheduleId: id, isPaused: verb === 'pause' }, () => [`${verb}d ${id}`]);
}

async function remove(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/v2/schedules/${pathPart(id)}`);
  await output.one({ scheduleId: id, deleted: true }, () => [`deleted ${id}`]);
}
