/** `stepwell flow`: flow-control keys, their limits and how much waits for them. */
import { Command } from 'commander';
import { keysOf } from '../../grammar/keys.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
} from '../client/client-command.js';
import type { ApiObject, Query } from '../connect/api-client.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn } from '../output/columns.js';
import { shownState } from '../output/style.js';
import type { TableColumn } from '../output/table.js';

/** The commands that change a key, with a description of each. */
const changes = {
  pause: 'start no more messages of a key',
  resume: 'start the waiting messages of a key again',
  unpin: 'let publishes set the limits of a key again',
  reset: 'begin a new window of the rate',
} as const;

type Change = keyof typeof changes;

const done: Readonly<Record<Change, string>> = {
  pause: 'paused',
  resume: 'resumed',
  unpin: 'unpinned',
  reset: 'reset',
};

/** Uses `/v2/flowControl` of a running server. */
export function flowCommand(): Command {
  const flow = new Command('flow').description('flow-control keys');
  flow.addCommand(
    clientCommand('ls', 'list keys', ['stepwell flow ls --search openai'])
      .option('--search <text>', 'keys whose names contain this')
      .action(list),
  );
  for (const verb of keysOf(changes)) {
    flow.addCommand(
      clientCommand(verb, changes[verb], [`stepwell flow ${verb} openai`])
        .argument('<key>')
        .action((key: string, options: ClientOptions) => change(key, verb, {}, options)),
    );
  }
  flow.addCommand(pinCommand());
  return flow;
}

function pinCommand(): Command {
  return clientCommand('pin', 'set limits of a key that publishes do not change', [
    'stepwell flow pin openai --parallelism 5 --rate 100 --period 60',
  ])
    .argument('<key>')
    .option('--parallelism <count>', 'attempts in flight', countOption)
    .option('--rate <count>', 'attempts started in one period', countOption)
    .option('--period <seconds>', 'the period of the rate', countOption)
    .action((key: string, { parallelism, rate, period, ...options }: PinOptions) =>
      change(key, 'pin', { parallelism, rate, period }, options),
    );
}

interface PinOptions extends ClientOptions {
  readonly parallelism?: number;
  readonly rate?: number;
  readonly period?: number;
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('key', 'flowControlKey'),
  {
    title: 'state',
    text: ({ isPaused }, paint) => shownState(isPaused === true ? 'paused' : 'running', paint),
  },
  { title: 'in flight', text: used('parallelismCount', 'parallelismMax'), isRight: true },
  { title: 'rate', text: used('rateCount', 'rateMax'), isRight: true },
  {
    title: 'period',
    text: ({ rateMax, ratePeriod }) => (Number(rateMax) === 0 ? '' : `${String(ratePeriod)}s`),
    isRight: true,
  },
  fieldColumn('waiting', 'waitListSize', { isRight: true }),
  {
    title: 'pinned',
    text: ({ isPinnedParallelism, isPinnedRate }) =>
      [isPinnedParallelism === true && 'parallelism', isPinnedRate === true && 'rate']
        .filter((word) => word !== false)
        .join(', '),
  },
];

/** Formats usage as `3/5`; a maximum of 0 means no limit, and is left empty. */
function used(count: string, max: string): (row: ApiObject) => string {
  return (row) => (Number(row[max]) === 0 ? '' : `${String(row[count])}/${String(row[max])}`);
}

async function list(options: ClientOptions & { readonly search?: string }): Promise<void> {
  const { api, output } = await connect(options);
  const { flowControls } = await api.get<{ flowControls: readonly ApiObject[] }>(
    '/v2/flowControl',
    { search: options.search },
  );
  await output.rows(flowControls, columns, 'no flow-control key');
}

async function change(
  key: string,
  verb: Change | 'pin',
  query: Query,
  options: ClientOptions,
): Promise<void> {
  const { api, output } = await connect(options);
  const path = `/v2/flowControl/${pathPart(key)}`;
  const what = verb === 'unpin' ? { parallelism: true, rate: true } : query;
  await api.post(`${path}/${verb}`, { query: what });
  const now = await api.get(path);
  await output.one(now, () => [`${verb === 'pin' ? 'pinned' : done[verb]} ${key}`]);
}
