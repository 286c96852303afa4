/** `stepwell tail`: what happens to messages, as it happens. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { systemClock } from '../../engine/clock.js';
import { logStates } from '../../messaging/logs/log-entry.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { runLogStates } from '../../workflows/history/run-log-entry.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  listOption,
  wordOption,
} from '../client/client-command.js';
import type { ApiClient, ApiObject, Query } from '../connect/api-client.js';
import { ClientError, DamagedRows, isPassing } from '../connect/client-errors.js';
import { eventStream } from '../connect/event-stream.js';
import { runRows } from '../connect/run-rows.js';
import { logLine } from '../output/columns.js';
import { complain } from '../output/terminal.js';
import { FreshRows } from './fresh-rows.js';

/** Of rows of messages; the last one is several of them (messaging.md 9). */
const messageStates = [...logStates.map((state) => state.toLowerCase()), 'in_progress'];
const inProgress = ['ACTIVE', 'RETRY', 'ERROR'];
const runStates = runLogStates.map((state) => state.toLowerCase());

/**
 * Goes on until it is interrupted, or the run that is named is over; a server that restarts is
 * waited for.
 */
export function tailCommand(): Command {
  return clientCommand('tail', 'show what happens to messages, as it happens', [
    'stepwell tail --state failed',
    'stepwell tail --label invoice --json | jq .error',
    'stepwell tail --run order-7 --state error',
  ])
    .addOption(
      wordOption('--state <state>', 'only rows of this state', [...messageStates, ...runStates]),
    )
    .option('--label <label>', 'of messages with this label; may be repeated', listOption)
    .option('--to <url>', 'of messages to this URL')
    .option('--queue <name>', 'of messages of this queue')
    .option('--run <id>', 'of this run, from its start to its end')
    .action(tail);
}

interface TailOptions extends ClientOptions {
  readonly state?: string;
  readonly label?: readonly string[];
  readonly to?: string;
  readonly queue?: string;
  readonly run?: string;
}

async function tail(options: TailOptions): Promise<void> {
  const { api, output } = await connect(options);
  const rows = options.run === undefined ? rowsOfMessages(api, options) : rowsOfRun(api, options);
  await output.stream(rows, (row) => logLine(row, output.paint));
}

function rowsOfMessages(api: ApiClient, options: TailOptions): AsyncGenerator<ApiObject> {
  const { state, label, to, queue } = options;
  if (state !== undefined && !messageStates.includes(state)) {
    throw new ClientError(`rows of ${state} are of a run: name it with --run`, exitCodes.usage);
  }
  const query: Query = { state: state?.toUpperCase(), label, url: to, queueName: queue };
  return rowsAsTheyCome(api, query);
}

/** The stream of a run has all of its rows: which of them are meant is seen here. */
async function* rowsOfRun(
  api: ApiClient,
  { run = '', state, label, to, queue }: TailOptions,
): AsyncGenerator<ApiObject> {
  if ([label, to, queue].some((one) => one !== undefined)) {
    throw new ClientError('--run takes no other filter than --state', exitCodes.usage);
  }
  const meant = state === 'in_progress' ? inProgress : [state?.toUpperCase()];
  for await (const row of runRows(api, run)) {
    if (state === undefined || meant.includes(String(row['state']))) yield row;
  }
}

/** Where no look was answered the stream is cut, too, and has the rest shown when it is back. */
const looksMax = 3;
const againMs = 1000;

/**
 * The rows of the log from now on, each once. The live stream says when there may be new ones,
 * and nothing is asked while nothing happens.
 */
async function* rowsAsTheyCome(api: ApiClient, query: Query): AsyncGenerator<ApiObject> {
  const fresh = new FreshRows();
  const begun = systemClock.now();
  let from: number | undefined;
  let isDamaged = false;
  for await (const _ of eventStream(api, '/v2/live', { kinds: 'message' })) {
    // Times of rows are the server's, whose clock is known once it has answered.
    from ??= begun + api.msAhead;
    for (let looks = 1; looks <= looksMax; looks += 1) {
      const filter = { ...query, fromDate: from, order: 'earliestFirst' };
      fresh.lookAgain();
      try {
        for await (const row of api.list('/v2/logs', 'logs', filter, Number.POSITIVE_INFINITY)) {
          if (!fresh.isNew(row)) continue;
          yield row;
          from = Math.max(from, Number(row['time']));
        }
        break;
      } catch (error) {
        if (error instanceof DamagedRows) {
          if (!isDamaged) complain(error.message);
          isDamaged = true;
          break;
        }
        if (!isPassing(error)) throw error;
        await pause(againMs);
      }
    }
  }
}
