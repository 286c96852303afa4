/** `stepwell consumers`: consumer groups, what they have read, and where they continue. */
import { Command, InvalidArgumentError } from 'commander';
import { parseIsoTime } from '../../grammar/iso-time.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  partitionOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn } from '../output/columns.js';
import type { TableColumn } from '../output/table.js';

/** Uses `/admin/groups` of a running server. */
export function consumersCommand(): Command {
  const consumers = new Command('consumers').description('consumer groups and their offsets');
  consumers.addCommand(
    clientCommand('ls', 'list groups', ['stepwell consumers ls --json | jq .lag']).action(list),
  );
  consumers.addCommand(
    clientCommand('show', 'show the members and partitions of a group', [
      'stepwell consumers show billing',
    ])
      .argument('<group>')
      .action(show),
  );
  consumers.addCommand(
    clientCommand('seek', 'set the offsets of a group without members', [
      'stepwell consumers seek billing rides --to earliest --dry-run',
      'stepwell consumers seek billing rides --to 2026-11-20T00:00:00Z',
    ])
      .argument('<group>')
      .argument('<topic>')
      .requiredOption(
        '--to <place>',
        'earliest, latest, an offset, or a time (ISO 8601)',
        placeOption,
      )
      .option('--partition <number>', 'only this partition', partitionOption)
      .option('--dry-run', 'show what would change, and change nothing')
      .action(seek),
  );
  consumers.addCommand(
    clientCommand('delete', 'delete a group and its offsets', ['stepwell consumers delete billing'])
      .argument('<group>')
      .action(remove),
  );
  return consumers;
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('group', 'name'),
  fieldColumn('members', 'memberCount', { isRight: true }),
  fieldColumn('generation', 'generation', { isRight: true }),
  fieldColumn('strategy', 'strategy'),
  fieldColumn('lag', 'lag', { isRight: true }),
];

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const groups = await api.get<readonly ApiObject[]>('/admin/groups');
  await output.rows(groups, columns, 'no consumer group');
}

async function show(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const group = await api.get(`/admin/groups/${pathPart(name)}`);
  if (output.isJson) {
    await output.one(group, () => []);
    return;
  }
  await output.rows([group], columns, '');
  await output.one(null, () => ['']);
  await output.rows(
    itemsIn(group, 'partitions'),
    [
      fieldColumn('topic', 'topic'),
      fieldColumn('partition', 'partition', { isRight: true }),
      fieldColumn('committed', 'committed', { isRight: true }),
      fieldColumn('position', 'position', { isRight: true }),
      fieldColumn('lag', 'lag', { isRight: true }),
      fieldColumn('member', 'owner'),
    ],
    'no partition',
  );
}

interface SeekOptions extends ClientOptions {
  readonly to: GroupPlace;
  readonly partition?: number;
  readonly dryRun?: boolean;
}

async function seek(group: string, topic: string, options: SeekOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { to, partition, dryRun } = options;
  const moved = await api.post<readonly ApiObject[]>(`/admin/groups/${pathPart(group)}/offsets`, {
    body: { topic, partition, to, dryRun },
  });
  await output.rows(
    moved,
    [
      fieldColumn('topic', 'topic'),
      fieldColumn('partition', 'partition', { isRight: true }),
      fieldColumn('from', 'from', { isRight: true }),
      fieldColumn('to', 'to', { isRight: true }),
    ],
    'no partition',
  );
}

/** Where a group should continue, in the form that the API takes (topics.md 5.2). */
type GroupPlace =
  | 'earliest'
  | 'latest'
  | { readonly offset: number }
  | { readonly timestamp: number };

function placeOption(text: string): GroupPlace {
  if (text === 'earliest' || text === 'latest') return text;
  if (/^\d{1,15}$/.test(text)) return { offset: Number(text) };
  const at = parseIsoTime(text);
  if (at.ok) return { timestamp: at.value };
  throw new InvalidArgumentError(
    'Write a place as earliest, latest, an offset, or a time such as 2027-01-31 or 2027-01-31T08:00Z.',
  );
}

async function remove(group: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/admin/groups/${pathPart(group)}`);
  await output.one({ name: group, deleted: true }, () => [`deleted ${group}`]);
}
