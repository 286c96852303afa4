/** What the command line asks for with `--peers`. */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { Timing } from './works/race-all.js';

export interface PeersArguments extends Timing {
  /** Peers to measure beside Stepwell; empty means all. */
  readonly peers: readonly string[];
  /** Kinds of work; empty means all. */
  readonly kinds: readonly string[];
  /** How many messages wait. */
  readonly waiting: number;
  /** How many runs sleep. */
  readonly sleeping: number;
  /** Of the journal that is asked for its newest pages; 0 leaves these contests out. */
  readonly events: number;
  readonly directory: string;
  /** Whether the documents are written. */
  readonly write: boolean;
}

/** Enough to see that everything is wired. */
const smoke = {
  seconds: '0.1',
  warm: '0',
  rounds: '1',
  waiting: '500',
  sleeping: '50',
  events: '0',
};
const full = {
  ...{ seconds: '1', warm: '10', rounds: '5' },
  ...{ waiting: '50000', sleeping: '50000', events: '1000000' },
};

export function peersUsage(peers: readonly string[], kinds: readonly string[]): string {
  return [
    'npm run bench -- --peers [--only <peers and works with commas between them>]',
    `                 [--seconds ${full.seconds}] [--warm ${full.warm}] [--rounds ${full.rounds}] [--patience 0]`,
    `                 [--waiting ${full.waiting}] [--sleeping ${full.sleeping}]`,
    `                 [--events ${full.events}] [--directory ${tmpdir()}]`,
    '                 [--smoke] [--write]',
    `peers: ${peers.join(', ')}`,
    `works: ${kinds.join(', ')}`,
  ].join('\n');
}

/** Throws an error that says what is wrong with the arguments. */
export function readPeersArguments(
  args: string[],
  peers: readonly string[],
  kinds: readonly string[],
): PeersArguments {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ peers: flag, smoke: flag, write: flag },
      ...{ only: text, patience: text, directory: text },
      ...{ seconds: text, warm: text, rounds: text, waiting: text, sleeping: text, events: text },
    },
  });
  const usual = values.smoke ? smoke : full;
  const only = values.only === undefined ? [] : values.only.split(',');
  const unknown = only.find((name) => !peers.includes(name) && !kinds.includes(name));
  if (unknown !== undefined) {
    throw new Error(`${unknown} is not one of ${[...peers, ...kinds].join(', ')}`);
  }
  return {
    peers: only.filter((name) => peers.includes(name)),
    kinds: only.filter((name) => kinds.includes(name)),
    seconds: numberOf('--seconds', values.seconds ?? usual.seconds, 0.01),
    warmSeconds: numberOf('--warm', values.warm ?? usual.warm, 0),
    rounds: wholeOf('--rounds', values.rounds ?? usual.rounds, 1),
    patienceSeconds: numberOf('--patience', values.patience ?? '0', 0),
    waiting: wholeOf('--waiting', values.waiting ?? usual.waiting, 1),
    sleeping: wholeOf('--sleeping', values.sleeping ?? usual.sleeping, 1),
    events: wholeOf('--events', values.events ?? usual.events, 0),
    directory: values.directory ?? tmpdir(),
    write: values.write,
  };
}

function numberOf(name: string, given: string, least: number): number {
  const value = Number(given);
  if (value >= least) return value;
  throw new Error(`${name} must be a number that is at least ${least}`);
}

function wholeOf(name: string, given: string, least: number): number {
  const value = numberOf(name, given, least);
  if (Number.isInteger(value)) return value;
  throw new Error(`${name} must be a whole number`);
}
