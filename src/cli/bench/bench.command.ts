/** `stepwell bench`: measures from outside how fast a running server handles messages. */
import type { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import {
  type ClientOptions,
  clientCommand,
  connect,
  countOption,
} from '../client/client-command.js';
import { ClientError } from '../connect/client-errors.js';
import { publishHeaders } from '../messages/publish-options.js';
import { type Measured, measure } from './measurement.js';

/** Each message is delivered, and remains in the logs of the server. */
const messagesMax = 100_000;
const concurrencyMax = 1000;

/**
 * Ends once every message is delivered. Exit code 64 if more messages are requested than allowed,
 * and 69 if messages do not arrive.
 */
export function benchCommand(): Command {
  return clientCommand(
    'bench',
    'measure a running server with messages to an endpoint of this command',
    [
      'stepwell bench',
      'stepwell bench --messages 10000 --concurrency 64 --bytes 1000',
      'stepwell bench --url http://10.0.0.7:8080 --host 10.0.0.9',
    ],
  )
    .option('--messages <count>', 'how many messages', countOption, 1000)
    .option('--concurrency <count>', 'how many publishes at once', countOption, 16)
    .option('--bytes <count>', 'the size of each body', countOption, 100)
    .option(
      '--host <address>',
      'the address of this machine, as the server reaches it',
      '127.0.0.1',
    )
    .addHelpText('after', `\n${caution}`)
    .action(bench);
}

const caution =
  'The messages and their logs stay in the journal of the server. This program uses CPU time, too:\n' +
  'on one machine the figures are lower than what the server could do alone.';

interface BenchOptions extends ClientOptions {
  readonly messages: number;
  readonly concurrency: number;
  readonly bytes: number;
  readonly host: string;
}

async function bench(options: BenchOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { messages, concurrency, bytes, host } = options;
  if (messages > messagesMax || concurrency > concurrencyMax) {
    const most = `--messages ${messagesMax} --concurrency ${concurrencyMax}`;
    throw new ClientError(`that is too much; the limits are ${most}`, exitCodes.usage);
  }
  const headers = publishHeaders({ label: ['stepwell-bench'] }, api.address.dialect);
  const measured = await measure(api, { messages, concurrency, bytes, host, headers });
  await output.one(measured, () => lines(measured));
}

function lines({ messages, seconds, publishMs, deliveryMs }: Measured): string[] {
  const row = (name: string, { p50, p99, max }: Measured['publishMs']) =>
    `${name.padEnd(28)}${[p50, p99, max].map((ms) => `${ms.toFixed(1)} ms`.padStart(12)).join('')}`;
  return [
    `${messages} messages published and delivered in ${seconds.toFixed(1)} s, ` +
      `${Math.round(messages / seconds)} a second`,
    `${' '.repeat(28)}${['p50', 'p99', 'max'].map((name) => name.padStart(12)).join('')}`,
    row('publish to its answer', publishMs),
    row('publish to the delivery', deliveryMs),
  ];
}
