/** `stepwell queue`: queues and how far behind they are. */
import { Command } from 'commander';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn } from '../output/columns.js';
import { shownState } from '../output/style.js';
import type { TableColumn } from '../output/table.js';

/** Uses `/v2/queues` of a running server. */
export function queueCommand(): Command {
  const queue = new Command('queue').description('queues');
  queue.addCommand(
    clientCommand('ls', 'list queues, by name', ['stepwell queue ls --json | jq .lag']).action(
      list,
    ),
  );
  queue.addCommand(
    clientCommand('set', 'create a queue, or change its parallelism', [
      'stepwell queue set invoices --parallelism 4',
    ])
      .argument('<name>')
      .requiredOption(
        '--parallelism <count>',
        'how many messages are delivered at once',
        countOption,
      )
      .action(set),
  );
  for (const verb of ['pause', 'resume'] as const) {
    const summary = verb === 'pause' ? 'accept messages and start none' : 'start messages again';
    queue.addCommand(
      clientCommand(verb, summary, [`stepwell queue ${verb} invoices`])
        .argument('<name>')
        .action((name: string, options: ClientOptions) => change(name, verb, options)),
    );
  }
  queue.addCommand(
    clientCommand('delete', 'delete a queue and its messages', ['stepwell queue delete invoices'])
      .argument('<name>')
      .action(remove),
  );
  return queue;
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('queue', 'name'),
  {
    title: 'state',
    text: ({ paused }, paint) => shownState(paused === true ? 'paused' : 'running', paint),
  },
  fieldColumn('parallelism', 'parallelism', { isRight: true }),
  fieldColumn('waiting', 'lag', { isRight: true }),
];

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const queues = await api.get<readonly ApiObject[]>('/v2/queues');
  await output.rows(queues, columns, 'no queue; stepwell msg publish URL --queue NAME creates one');
}

async function set(
  name: string,
  options: ClientOptions & { readonly parallelism: number },
): Promise<void> {
  const { api, output } = await connect(options);
  const { parallelism } = options;
  await api.post('/v2/queues', { body: { queueName: name, parallelism } });
  await output.one({ name, parallelism }, () => [`${name} delivers ${parallelism} at once`]);
}

async function change(
  name: string,
  verb: 'pause' | 'resume',
  options: ClientOptions,
): Promise<void> {
  const { api, output } = await connect(options);
  await api.post(`/v2/queues/${pathPart(name)}/${verb}`);
  await output.one({ name, paused: verb === 'pause' }, () => [`${verb}d ${name}`]);
}

async function remove(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/v2/queues/${pathPart(name)}`);
  await output.one({ name, deleted: true }, () => [`deleted ${name}`]);
}
