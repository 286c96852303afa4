/** `stepwell topic tail`: shows the records of a topic live, without a consumer group. */
import type { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  partitionOption,
} from '../client/client-command.js';
import type { ApiClient, ApiObject, Query } from '../connect/api-client.js';
import { ClientError } from '../connect/client-errors.js';
import { eventStream } from '../connect/event-stream.js';
import { pathPart } from '../connect/path-part.js';
import { textOf } from '../output/columns.js';
import type { Paint } from '../output/style.js';
import { exactTime } from '../output/time-words.js';

/** The command, which `topic` adds as a subcommand. */
export function tailCommand(): Command {
  return clientCommand('tail', 'show records as they arrive, without a consumer group', [
    'stepwell topic tail rides --from newest-50',
    'stepwell topic tail rides --key user-7 --json | jq .value',
    'stepwell topic tail rides --from 2026-11-20 --contains refund',
  ])
    .argument('<topic>')
    .option('--from <place>', 'newest, newest-50, earliest, an offset, or a time (ISO 8601)')
    .option('--partition <number>', 'only this partition', partitionOption)
    .option('--key <key>', 'with this key')
    .option('--contains <text>', 'whose value contains this')
    .action(tail);
}

interface TailOptions extends ClientOptions {
  readonly from?: string;
  readonly partition?: number;
  readonly key?: string;
  readonly contains?: string;
}

async function tail(topic: string, options: TailOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { from, partition, key, contains } = options;
  const path = `/tail/${pathPart(topic)}`;
  const rows = recordsOf(api, path, { from, partition, key, contains });
  await output.stream(rows, (record) => recordLine(record, output.paint));
}

async function* recordsOf(api: ApiClient, path: string, query: Query): AsyncGenerator<ApiObject> {
  for await (const { name, data } of eventStream(api, path, query)) {
    if (name === 'error') throw new ClientError(String(data['error']), exitCodes.failure);
    yield data;
  }
}

/** One record on one line: time, position, key and value. */
function recordLine(record: ApiObject, paint: Paint): string {
  const place = `${textOf(record, 'partition')}:${textOf(record, 'offset')}`;
  return [
    paint('dim', exactTime(Number(record['timestamp']))),
    paint('dim', place),
    paint('cyan', textOf(record, 'key')),
    textOf(record, 'value'),
  ]
    .filter((part) => part !== '')
    .join('  ');
}
