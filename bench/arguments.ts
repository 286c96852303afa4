/** What the command line asks for. */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export interface Arguments {
  /** Scenarios to run; empty means all. */
  readonly only: readonly string[];
  /** Length of one round of one side, seconds; short cases take a share of it. */
  readonly seconds: number;
  readonly rounds: number;
  /** A folder on the disk to measure; everything made in it is removed. */
  readonly directory: string;
}

export const usage = `npm run bench -- [--only append,replay,publish,produce,delivery]
                 [--seconds 2] [--rounds 3] [--directory ${tmpdir()}]`;

/** Throws an error that says what is wrong with the arguments. */
export function readArguments(args: string[], scenarios: readonly string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      directory: { type: 'string', default: tmpdir() },
    },
  });
  const only = values.only === '' ? [] : values.only.split(',');
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${scenarios.join(', ')}`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error('--seconds must be a positive number');
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be at least 1');
  return { only, seconds, rounds, directory: values.directory };
}
