/** `stepwell run`: commands for runs of workflows, from their start to their end. */
import { Command, Option } from 'commander';
import { lanesOf } from '../../run-waterfall/lanes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
  listOption,
  requireAll,
  withEach,
} from '../client/client-command.js';
import type { ApiObject, Query } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { pathPart } from '../connect/path-part.js';
import { runRows } from '../connect/run-rows.js';
import { dialectOption, optionPrefix, publishHeaders } from '../messages/publish-options.js';
import {
  fieldColumn,
  fieldLines,
  labelColumn,
  labelsOf,
  logLine,
  type Now,
  stateColumn,
  textOf,
  timeColumn,
} from '../output/columns.js';
import { shownState } from '../output/style.js';
import type { TableColumn } from '../output/table.js';
import { durationWords, exactTime } from '../output/time-words.js';
import { whyLines } from '../output/why-lines.js';
import { cancelRuns, letterOf, requireActive } from './named-run.js';
import { runLog } from './run-log.js';
import { legend, waterfallLines } from './waterfall.js';

const runStates = ['started', 'success', 'failed', 'canceled'];

/** Queries a running server. `--json` prints its answer; for `show`, also the drawn lanes. */
export function runCommand(): Command {
  const run = new Command('run').description('start, list and inspect workflow runs');
  run.addCommand(startCommand());
  run.addCommand(
    clientCommand('ls', 'list runs, newest first', ['stepwell run ls --state failed'])
      .addOption(new Option('--state <state>', 'in this state').choices(runStates))
      .option('--workflow <url>', 'of the workflow at this URL')
      .option('--label <label>', 'with this label; may be repeated', listOption)
      .option('--count <count>', 'the most rows to show', countOption, 20)
      .action(list),
  );
  run.addCommand(
    clientCommand('show', 'draw the steps of a run', [
      'stepwell run show order-7',
      'stepwell run show order-7 --json | jq .lanes',
    ])
      .argument('<id>')
      .action(show),
  );
  run.addCommand(
    clientCommand('why', 'say what a run waits for', ['stepwell run why order-7'])
      .argument('<id>')
      .action(why),
  );
  run.addCommand(
    clientCommand('tail', 'show what happens to a run until it ends', ['stepwell run tail order-7'])
      .argument('<id>')
      .action(tail),
  );
  run.addCommand(
    clientCommand('cancel', 'cancel active runs', ['stepwell run cancel order-7 order-8'])
      .argument('<id...>')
      .action(cancel),
  );
  run.addCommand(
    clientCommand('notify', 'notify the runs that wait for an event', [
      'stepwell run notify order-7-paid -d \'{"amount":12}\'',
    ])
      .argument('<event>')
      .option('--run <id>', 'only this run; if it does not wait yet, the event is kept for it')
      .option('-d, --data <body>', "the event's data: text, @file, or - for standard input")
      .action(notify),
  );
  for (const verb of ['resume', 'restart'] as const) {
    const summary =
      verb === 'resume'
        ? 'continue failed runs at the failed step, as new runs'
        : 'start failed runs again with their payload';
    run.addCommand(
      clientCommand(verb, summary, [`stepwell run ${verb} order-7`])
        .argument('<id...>', 'ids of failed runs, or of their dead letters')
        .action((ids: readonly string[], options: ClientOptions) => revive(verb, ids, options)),
    );
  }
  return run;
}

function startCommand(): Command {
  return clientCommand('start', 'start a run of the workflow at a URL', [
    'stepwell run start http://localhost:3000/api/order -d \'{"id":7}\' --id order-7',
  ])
    .argument('<url>')
    .option('-d, --data <body>', 'the payload: text, @file, or - for standard input')
    .option('--id <id>', 'the id of the run')
    .option('--label <label>', 'a word to search by; may be repeated', listOption)
    .option('--delay <duration>', 'how long to wait before the first step')
    .option('--retries <count>', 'retries of each step')
    .addOption(dialectOption())
    .action(start);
}

interface StartOptions extends ClientOptions {
  readonly data?: string;
  readonly id?: string;
  readonly label?: readonly string[];
  readonly delay?: string;
  readonly retries?: string;
  readonly dialect?: string;
}

async function start(url: string, options: StartOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { data, id } = options;
  // Endpoints of workflows use the published SDKs, which know only one dialect.
  const prefix = optionPrefix(api.address.dialect ?? 'upstash');
  const headers = {
    ...publishHeaders(options, api.address.dialect ?? 'upstash'),
    ...(id !== undefined && { [`${prefix}workflow-runid`]: id }),
    [`${prefix}workflow-sdk-version`]: '1',
  };
  const body = data === undefined ? undefined : await bodyOf(data);
  const answer = await api.post(`/v2/trigger/${pathPart(url)}`, { headers, body });
  const verb = answer['deduplicated'] === true ? 'it is a duplicate of' : 'started';
  await output.one(answer, () => [`${verb} ${textOf(answer, 'workflowRunId')}`]);
}

/** Loaded only when needed, as reading files loads the disk module. */
async function bodyOf(text: string): Promise<Buffer> {
  const { givenBody } = await import('../connect/given-body.js');
  return givenBody(text);
}

interface ListOptions extends ClientOptions {
  readonly state?: string;
  readonly workflow?: string;
  readonly label?: readonly string[];
  readonly count: number;
}

async function list(options: ListOptions): Promise<void> {
  const { api, output } = await connect(options);
  const query: Query = {
    state: options.state === undefined ? undefined : `RUN_${options.state.toUpperCase()}`,
    workflowUrl: options.workflow,
    label: options.label,
    trimBody: 0,
  };
  const runs = api.list('/v2/workflows/logs', 'runs', query, options.count);
  const none = 'no run; stepwell run start URL starts one';
  await output.rows(runs, columns(api.now), none);
}

function columns(now: Now): readonly TableColumn<ApiObject>[] {
  return [
    fieldColumn('run', 'workflowRunId'),
    stateColumn,
    timeColumn('started', 'workflowRunCreatedAt', now),
    {
      title: 'took',
      text: ({ workflowRunCreatedAt: from, workflowRunCompletedAt: to }) =>
        to === undefined ? '' : durationWords(Number(to) - Number(from)),
      isRight: true,
    },
    { title: 'steps', text: (run) => String(stepCount(run)), isRight: true },
    labelColumn(),
    fieldColumn('workflow', 'workflowUrl', { yields: true }),
  ];
}

/** The number of steps in all groups of a row (workflows.md 5.1). */
function stepCount(run: ApiObject): number {
  return itemsIn(run, 'steps').reduce((sum, group) => sum + itemsIn(group, 'steps').length, 0);
}

async function show(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { runs } = await api.get<{ runs: readonly ApiObject[] }>('/v2/workflows/logs', {
    workflowRunId: id,
  });
  const found = runs.find((run) => textOf(run, 'workflowRunId') === id);
  // The log does not reach back indefinitely, and its filter splits an id that contains a comma.
  if (found === undefined) return why(id, options);
  const reason = await api.get(`/v2/workflows/runs/${pathPart(id)}/why`);
  const { rows, isCut } = await runLog(api, id);
  const run = lanesOf(rows);
  const now = api.now();
  const startedAt = Number(found['workflowRunCreatedAt']);
  await output.one({ ...found, why: reason, lanes: run.lanes }, () => [
    ...fieldLines(
      [
        ['run', textOf(found, 'workflowRunId')],
        ['state', shownState(textOf(found, 'state'), output.paint)],
        ['workflow', textOf(found, 'workflowUrl')],
        ['started', exactTime(startedAt)],
        ['took', durationWords((run.endedAt ?? now) - startedAt)],
        ['label', labelsOf(found)],
        ['dead letter', textOf(found, 'dlqId')],
      ],
      output.paint,
    ),
    '',
    ...waterfallLines(run, now, output.paint, output.width),
    ...(isCut ? [`the log has more than ${rows.length} rows: the first ones are drawn`] : []),
    output.paint('dim', legend),
    '',
    ...whyLines(reason, now, output.paint),
  ]);
}

async function why(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const reason = await api.get(`/v2/workflows/runs/${pathPart(id)}/why`);
  await output.one(reason, () => whyLines(reason, api.now(), output.paint));
}

async function tail(id: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await output.stream(runRows(api, id), (row) => logLine(row, output.paint));
}

async function cancel(ids: readonly string[], options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const cancelled = await cancelRuns(api, ids);
  await output.one({ cancelled }, () => [`canceled ${cancelled}`]);
  requireAll('run', cancelled, ids);
}

interface NotifyOptions extends ClientOptions {
  readonly run?: string;
  readonly data?: string;
}

async function notify(event: string, options: NotifyOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { run, data } = options;
  // If the run has ended, its id would be read as the beginning of the event's name (workflows.md
  // 3.4).
  if (run !== undefined) await requireActive(api, run);
  const path = [run, event]
    .flatMap((part) => part ?? [])
    .map(pathPart)
    .join('/');
  const body = data === undefined ? undefined : await bodyOf(data);
  const woken = await api.post<readonly ApiObject[]>(`/v2/notify/${path}`, { body });
  await output.one(woken, () =>
    woken.length === 0
      ? [run === undefined ? 'no run waits for it' : `kept for ${run}`]
      : woken.map((one) => `${textOf(one, 'workflowRunId')} continues`),
  );
}

/** Resumes or restarts failed runs, each named by its own id or by that of its dead letter. */
async function revive(
  verb: 'resume' | 'restart',
  ids: readonly string[],
  options: ClientOptions,
): Promise<void> {
  const { api, output } = await connect(options);
  await withEach('failed run', ids, async (id) => {
    const letter = await letterOf(api, id);
    const answer = await api.post(`/v2/workflows/dlq/${verb}/${pathPart(letter)}`);
    await output.one(answer, () => [`${id} continues as ${textOf(answer, 'workflowRunId')}`]);
  });
}
