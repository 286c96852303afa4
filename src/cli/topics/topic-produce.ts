/** `stepwell topic produce`: appends records to a topic, one record or one for each line. */
import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  partitionOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { ApiRefusal, ClientError, isClientError } from '../connect/client-errors.js';
import { givenBody, givenChunks } from '../connect/given-body.js';
import { textOf } from '../output/columns.js';
import { exactTime } from '../output/time-words.js';
import { type Lines, linesIn } from './lines-in.js';

/** The command, which `topic` adds as a subcommand. */
export function produceCommand(): Command {
  return clientCommand(
    'produce',
    'append records: one, or one per line of a file or standard input',
    [
      'stepwell topic produce rides --key user-7 -d \'{"km":12}\'',
      'cat rides.ndjson | stepwell topic produce rides - --lines',
    ],
  )
    .argument('<topic>')
    .argument('[value]', 'text, @file, or - for standard input')
    .option('-d, --data <value>', 'the value, if it begins with a dash')
    .option('--lines', 'each line is a record; lines are sent as they arrive')
    .option('--key <key>', 'the key of the records')
    .option('--partition <number>', 'the partition to append to', partitionOption)
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
  if (value !== undefined && options.data !== undefined) {
    throw new ClientError('the value is given twice, once with -d', exitCodes.usage);
  }
  if (data === undefined) {
    throw new ClientError('give a value: text, @file, or - for standard input', exitCodes.usage);
  }
  for (const words of [data, key ?? '']) refuseReplaced(words);
  const client = await connect(options);
  const stored = lines === true ? ofLines() : ofOne(data);
  await client.output.stream(stored, storedLine);

  async function* ofOne(given: string): AsyncGenerator<ApiObject> {
    yield* await sent([await givenBody(given)]);
  }

  /** Records stored before a refused line have been printed, and remain stored. */
  async function* ofLines(): AsyncGenerator<ApiObject> {
    for await (const part of linesIn(givenChunks(data ?? ''))) {
      if (part.values.length === 0) continue;
      yield* await sent(part.values).catch((error: unknown) => {
        throw isClientError(error) ? unstored(error, part) : error;
      });
    }
  }

  function sent(values: readonly Buffer[]): Promise<readonly ApiObject[]> {
    const body = values.map((bytes) => ({ topic, partition, ...sentAs(bytes, key) }));
    return client.api.post<readonly ApiObject[]>('/produce', { body });
  }
}

/** Bytes that are not text are sent as Base64, and then so is the record's key (topics.md 1.4). */
function sentAs(bytes: Buffer, key: string | undefined): ApiObject {
  if (isUtf8(bytes)) return { value: bytes.toString('utf8'), key };
  const encodedKey = key === undefined ? key : Buffer.from(key).toString('base64');
  return { value: bytes.toString('base64'), key: encodedKey, encoding: 'base64' };
}

/** Node.js puts this in place of each byte of an argument that is not valid UTF-8. */
const replacement = '\u{fffd}';

function refuseReplaced(words: string): void {
  if (!words.includes(replacement)) return;
  throw new ClientError(
    'the key and the arguments of a command are UTF-8 text; give a value of other bytes as @file, ' +
      'or as - for standard input',
    exitCodes.usage,
  );
}

/**
 * If the server failed or the connection was cut, the records may have been stored nevertheless.
 */
function unstored(error: ClientError, { first, last }: Lines): ClientError {
  const { message, exitCode } = error;
  return error instanceof ApiRefusal && error.status < 500
    ? new ClientError(`lines ${first} to ${last} are not stored: ${message}`, exitCode)
    : new ClientError(`lines ${first} to ${last} may not be stored: ${message}`, exitCode);
}

function storedLine(record: ApiObject): string {
  const place = `partition ${textOf(record, 'partition')}, offset ${textOf(record, 'offset')}`;
  return `${exactTime(Number(record['timestamp']))}  ${place}`;
}
