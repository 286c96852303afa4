/** `stepwell tail`: shows what happens to messages, live. */
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
import { printError } from '../output/terminal.js';
import { FreshRows } from './fresh-rows.js';

/** States of message rows; the last one stands for several (messaging.md 9). */
const messageStates = [...logStates.map((state) => state.toLowerCase()), 'in_progress'];
const inProgress = ['ACTIVE', 'RETRY', 'ERROR'];
const runStates = runLogStates.map((state) => state.toLowerCase());

/**
 * Runs until it is interrupted, or until the named run has ended; waits while the server restarts.
 */
export function tailCommand(): Command {
  return clientCommand('tail', 'show what happens to messages, live', [
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
    throw new ClientError(`only a run has rows of ${state}: name it with --run`, exitCodes.usage);
  }
  const query: Query = { state: state?.toUpperCase(), label, url: to, queueName: queue };
  return rowsAsTheyCome(api, query);
}

/** The stream of a run carries all of its rows, so the rows are filtered here. */
async function* rowsOfRun(
  api: ApiClient,
  { run = '', state, label, to, queue }: TailOptions,
): AsyncGenerator<ApiObject> {
  if ([label, to, queue].some((one) => one !== undefined)) {
    throw new ClientError('--run accepts no other filter than --state', exitCodes.usage);
  }
  const selected = state === 'in_progress' ? inProgress : [state?.toUpperCase()];
  for await (const row of runRows(api, run)) {
    if (state === undefined || selected.includes(String(row['state']))) yield row;
  }
}

/** If no read succeeds, the stream is usually cut as well; when it returns, the rest is shown. */
const examinedMax = 3;
const againMs = 1000;

/**
 * The rows of the log from now on, each once. The live stream announces possible new rows, so
 * nothing is requested while nothing happens.
 */
async function* rowsAsTheyCome(api: ApiClient, query: Query): AsyncGenerator<ApiObject> {
  const fresh = new FreshRows();
  const begun = systemClock.now();
  let from: number | undefined;
  let isDamaged = false;
  for await (const _ of eventStream(api, '/v2/live', { kinds: 'message' })) {
    // Rows have the server's times, and its clock is known only once it has answered.
    from ??= begun + api.msAhead;
    for (let looks = 1; looks <= examinedMax; looks += 1) {
      const filter = { ...query, fromDate: from, order: 'earliestFirst' };
      fresh.readAgain();
      try {
        for await (const row of api.list('/v2/logs', 'logs', filter, Number.POSITIVE_INFINITY)) {
          if (!fresh.isNew(row)) continue;
          yield row;
          from = Math.max(from, Number(row['time']));
        }
        break;
      } catch (error) {
        if (error instanceof DamagedRows) {
          if (!isDamaged) printError(error.message);
          isDamaged = true;
          break;
        }
        if (!isPassing(error)) throw error;
        await pause(againMs);
      }
    }
  }
}
