/** `stepwell cluster`: the status of a cluster node, and a planned takeover. */
import { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { ClientError } from '../connect/client-errors.js';
import { fieldColumn, textOf } from '../output/columns.js';
import { type TableColumn, tableLines } from '../output/table.js';

/** Queries the node that `--url` names, whatever its role. */
export function clusterCommand(): Command {
  const cluster = new Command('cluster').description('the nodes of a cluster');
  cluster.addCommand(
    clientCommand('status', 'show the state of the node, of the owner and of the followers', [
      'stepwell cluster status',
      'stepwell cluster status --url http://10.0.0.2:8080 --json',
    ]).action(status),
  );
  cluster.addCommand(
    clientCommand(
      'handover',
      'make another node take over; the process of the owner ends with 75',
      ['stepwell cluster handover --yes'],
    )
      .option('--yes', 'confirm the handover')
      .action(handOver),
  );
  return cluster;
}

/** A column of milliseconds; empty if the value is unknown. */
function milliseconds(title: string, field: string): TableColumn<ApiObject> {
  return {
    title,
    text: (row) => (row[field] == null ? '' : `${Math.round(Number(row[field]))} ms`),
    isRight: true,
  };
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('node', 'node'),
  fieldColumn('version', 'version'),
  fieldColumn('role', 'role'),
  fieldColumn('owner', 'owner'),
  fieldColumn('epoch', 'epoch', { isRight: true }),
  fieldColumn('sequence', 'sequence', { isRight: true }),
  fieldColumn('behind', 'behind', { isRight: true }),
  milliseconds('heard', 'heardMsAgo'),
  milliseconds('skew', 'clockSkewMs'),
  milliseconds('commit', 'commitMs'),
];

async function status(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const node = await api.get<ApiObject>('/admin/cluster');
  await output.one(node, () => tableLines(columns, rowsOf(node), output.paint, output.width));
}

/** The queried node, then the followers that it knows. */
function rowsOf(node: ApiObject): readonly ApiObject[] {
  const { sequence, appliedSequence } = node;
  const own = { ...node, behind: Number(sequence) - Number(appliedSequence) };
  const followers = itemsIn(node, 'followers');
  return [own, ...followers.map((follower) => ({ ...follower, role: 'follower' }))];
}

interface HandOverOptions extends ClientOptions {
  readonly yes?: boolean;
}

async function handOver(options: HandOverOptions): Promise<void> {
  if (options.yes !== true) {
    const message = 'the owner gives up the log, and its process ends; confirm with --yes';
    throw new ClientError(message, exitCodes.usage);
  }
  const { api, output } = await connect(options);
  const node = await api.post<ApiObject>('/admin/cluster/handover', {});
  await output.one(node, () => [`${textOf(node, 'node')} hands the log over`]);
}
