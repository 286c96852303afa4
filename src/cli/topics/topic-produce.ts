/** `stepwell topic produce`: records of a topic, one or a line each. */
import type { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  partitionOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { ApiRefusal, ClientError } from '../connect/client-errors.js';
import { givenBody, givenChunks } from '../connect/given-body.js';
import { textOf } from '../output/columns.js';
import { exactTime } from '../output/time-words.js';
import { type Lines, linesIn } from './lines-in.js';

/** The command, as `topic` takes it in. */
export function produceCommand(): Command {
  return clientCommand(
    'produce',
    'append records: one, or a line each of a file or standard input',
    [
      'stepwell topic produce rides --key user-7 -d \'{"km":12}\'',
      'cat rides.ndjson | stepwell topic produce rides - --lines',
    ],
  )
    .argument('<topic>')
    .argument('[value]', 'text, @file, or - for standard input')
    .option('-d, --data <value>', 'the same, for values that begin with a dash')
    .option('--lines', 'each line is a record; they are sent as they come')
    .option('--key <key>', 'of the records')
    .option('--partition <number>', 'where they go', partitionOption)
    .action(produce);
}

interface ProduceOptions extends ClientOptions {
  readonly data?: string;
  readonly lines?: boolean;
  readonly key?: string;
  readonly partition?: number;
}

async function produce(
  topic: string,
  value: string | undefined,
  options: ProduceOptions,
): Promise<void> {
  const { lines, key, partition, data = value } = options;
  if (data === undefined) {
    throw new ClientError('give a value: text, @file, or - for standard input', exitCodes.usage);
  }
  const client = await connect(options);
  const stored = lines === true ? ofLines() : ofOne(data);
  await client.output.stream(stored, storedLine);

  async function* ofOne(given: string): AsyncGenerator<ApiObject> {
    yield* await sent([(await givenBody(given)).toString('utf8')]);
  }

  /** What was stored before a line that is refused has been shown, and stays. */
  async function* ofLines(): AsyncGenerator<ApiObject> {
    for await (const part of linesIn(givenChunks(data ?? ''))) {
      if (part.values.length === 0) continue;
      yield* await sent(part.values).catch((error: unknown) => {
        throw error instanceof ApiRefusal ? refusalOf(error, part) : error;
      });
    }
  }

  function sent(values: readonly string[]): Promise<readonly ApiObject[]> {
    const body = values.map((one) => ({ topic, value: one, key, partition }));
    return client.api.post<readonly ApiObject[]>('/produce', { body });
  }
}

function refusalOf({ message, exitCode }: ApiRefusal, { first, last }: Lines): ClientError {
  return new ClientError(`lines ${first} to ${last} are not stored: ${message}`, exitCode);
}

function storedLine(record: ApiObject): string {
  const place = `partition ${textOf(record, 'partition')}, offset ${textOf(record, 'offset')}`;
  return `${exactTime(Number(record['timestamp']))}  ${place}`;
}
