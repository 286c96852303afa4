/** What all commands that talk to a running server have in common. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ApiClient } from '../connect/api-client.js';
import { ClientError, isClientError } from '../connect/client-errors.js';
import { type AddressOptions, findServer } from '../connect/server-address.js';
import { examplesText } from '../output/examples.js';
import { Output, type OutputOptions } from '../output/output.js';

/** Options of every client command. */
export type ClientOptions = AddressOptions & OutputOptions;

/** What a client command works with: the server and the output. */
export interface Client {
  readonly api: ApiClient;
  readonly output: Output;
}

/** A command with the common options; `examples` are printed at the end of its help. */
export function clientCommand(name: string, summary: string, examples: readonly string[]): Command {
  const command = new Command(name)
    .description(summary)
    .option('--url <url>', 'the server, instead of STEPWELL_URL')
    .option('--token <token>', 'its token, or @file, instead of STEPWELL_TOKEN')
    .option('--data-dir <path>', 'the data folder of the server, if neither is given')
    .option('--json', 'print JSON, one value per line, also on a terminal');
  return command.addHelpText('after', examplesText(examples));
}

/** Finds the server, and decides how its answers are shown. */
export async function connect(options: ClientOptions): Promise<Client> {
  return { api: new ApiClient(await findServer(options)), output: new Output(options) };
}

/** A whole number of at least 1, for options such as `--count`. */
export function countOption(text: string): number {
  return wholeNumber(text, 1);
}

/** A whole number of at least 0, for `--partition`. */
export function partitionOption(text: string): number {
  return wholeNumber(text, 0);
}

function wholeNumber(text: string, least: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
}

/** An option whose value is one of `words`, in any case; another value is refused with the list. */
export function wordOption(flags: string, summary: string, words: readonly string[]): Option {
  return new Option(flags, summary).choices(words).argParser((text: string) => {
    const word = words.find((one) => one.toLowerCase() === text.toLowerCase());
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
  });
}

/** Collects an option that may be given more than once. */
export function listOption(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/**
 * Calls `act` for each id. An id that is not found does not stop the others; throws at the end if
 * any was not found.
 */
export async function withEach(
  what: string,
  ids: readonly string[],
  act: (id: string) => Promise<void>,
): Promise<void> {
  const named = [...new Set(ids)];
  let done = 0;
  for (const id of named) {
    try {
      await act(id);
      done += 1;
    } catch (error) {
      if (named.length === 1 || !isNotFound(error)) throw error;
    }
  }
  requireAll(what, done, named);
}

const isNotFound = (error: unknown) =>
  isClientError(error) && error.exitCode === exitCodes.notFound;

/** Throws if fewer items were found than ids are given; those found are already processed. */
export function requireAll(what: string, done: number, ids: readonly string[]): void {
  const named = new Set(ids).size;
  if (done >= named) return;
  const message =
    named === 1
      ? `${what} ${ids[0]} not found`
      : `${named - done} of ${named} ${what}s do not exist, or have ended`;
  throw new ClientError(message, exitCodes.notFound);
}
