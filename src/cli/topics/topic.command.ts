/** `stepwell topic`: partitioned topics and their records. */
import { Command } from 'commander';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn, textOf } from '../output/columns.js';
import type { TableColumn } from '../output/table.js';
import { durationWords, sizeWords } from '../output/time-words.js';
import { produceCommand } from './topic-produce.js';
import { tailCommand } from './topic-tail.js';

/** Uses `/admin/topics` of a running server, and the routes of records. */
export function topicCommand(): Command {
  const topic = new Command('topic').description('topics and their records');
  topic.addCommand(clientCommand('ls', 'list topics', ['stepwell topic ls']).action(list));
  topic.addCommand(
    clientCommand('show', 'show one and its partitions', ['stepwell topic show rides'])
      .argument('<topic>')
      .action(show),
  );
  topic.addCommand(
    clientCommand('create', 'make a topic', ['stepwell topic create rides --partitions 6'])
      .argument('<topic>')
      .option(
        '--partitions <count>',
        'how many; the number can grow later, but not shrink',
        countOption,
      )
      .option('--retention-ms <ms>', 'how long records are kept', countOption)
      .option('--retention-bytes <bytes>', 'how many bytes of a partition are kept', countOption)
      .option('--compact', 'keep the last record of each key')
      .action(create),
  );
  topic.addCommand(produceCommand());
  topic.addCommand(tailCommand());
  topic.addCommand(
    clientCommand('delete', 'delete a topic', ['stepwell topic delete rides'])
      .argument('<topic>')
      .action(remove),
  );
  return topic;
}

/** How the API shows a limit: -1 means unlimited. */
function limit(value: unknown, words: (amount: number) => string): string {
  if (value === null || value === undefined) return 'as configured';
  return Number(value) < 0 ? 'unlimited' : words(Number(value));
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('topic', 'name'),
  fieldColumn('partitions', 'partitions', { isRight: true }),
  fieldColumn('policy', 'cleanupPolicy'),
  { title: 'kept for', text: ({ retentionMs }) => limit(retentionMs, durationWords) },
  { title: 'kept bytes', text: ({ retentionBytes }) => limit(retentionBytes, sizeWords) },
];

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const topics = await api.get<readonly ApiObject[]>('/admin/topics');
  await output.rows(topics, columns, 'no topic; stepwell topic create NAME creates one');
}

async function show(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const topic = await api.get(`/admin/topics/${pathPart(name)}`);
  const offsets = itemsIn(topic, 'offsets');
  if (output.isJson) {
    await output.one(topic, () => []);
    return;
  }
  await output.rows([topic], columns, '');
  await output.one(null, () => ['']);
  await output.rows(
    offsets,
    [
      fieldColumn('partition', 'partition', { isRight: true }),
      fieldColumn('from', 'earliest', { isRight: true }),
      fieldColumn('next', 'latest', { isRight: true }),
    ],
    'no partition',
  );
}

interface CreateOptions extends ClientOptions {
  readonly partitions?: number;
  readonly retentionMs?: number;
  readonly retentionBytes?: number;
  readonly compact?: boolean;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { partitions, retentionMs, retentionBytes, compact } = options;
  const cleanupPolicy = compact === true ? 'compact' : undefined;
  const body = { name, partitions, retentionMs, retentionBytes, cleanupPolicy };
  const topic = await api.post('/admin/topics', { body });
  await output.one(topic, () => [`created ${name} with ${textOf(topic, 'partitions')} partitions`]);
}

async function remove(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/admin/topics/${pathPart(name)}`);
  await output.one({ name, deleted: true }, () => [`deleted ${name}`]);
}
