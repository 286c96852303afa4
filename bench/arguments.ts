/** What the command line asks for. */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { Timing } from './measure/contest.js';

export interface Arguments extends Timing {
  /** Scenarios to run; empty means all. */
  readonly only: readonly string[];
  /** What the names of single figures have to hold, for a part of a scenario; '' = all. */
  readonly named: string;
  /** How many events the logs are asked about. */
  readonly events: number;
  /** How many runs are put to sleep. */
  readonly sleeping: number;
  /** How many consumer instances are idle. */
  readonly consumers: number;
  /** Of the sizes of the table of starts: a hundredth is for a look. */
  readonly scale: number;
  /** Messages of the simulated month. */
  readonly messages: number;
  /** For how many seconds of work a node of a cluster is away. */
  readonly away: number;
  /** A folder on the disk to measure; everything made in it is removed. */
  readonly directory: string;
  /** Whether what is seen is written into `bench/figures.md`. */
  readonly write: boolean;
}

/** How the command is used. */
export function usageOf(scenarios: readonly string[]): string {
  return [
    'npm run bench -- [--only <scenarios with commas between them>] [--named <part of a name>]',
    '                 [--seconds 1] [--warm 2] [--rounds 3] [--patience 0]',
    '                 [--events 1000000] [--sleeping 100000] [--consumers 1000]',
    '                 [--scale 1] [--messages 150000] [--away 3600]',
    `                 [--directory ${tmpdir()}] [--write]`,
    `scenarios: ${scenarios.join(', ')}`,
  ].join('\n');
}

/** Throws an error that says what is wrong with the arguments. */
export function readArguments(args: string[], scenarios: readonly string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      named: { type: 'string', default: '' },
      seconds: { type: 'string', default: '1' },
      warm: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      patience: { type: 'string', default: '0' },
      events: { type: 'string', default: '1000000' },
      sleeping: { type: 'string', default: '100000' },
      consumers: { type: 'string', default: '1000' },
      scale: { type: 'string', default: '1' },
      messages: { type: 'string', default: '150000' },
      away: { type: 'string', default: '3600' },
      directory: { type: 'string', default: tmpdir() },
      write: { type: 'boolean', default: false },
    },
  });
  const only = values.only === '' ? [] : values.only.split(',');
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${scenarios.join(', ')}`);
  const timing = {
    seconds: Number(values.seconds),
    warmSeconds: Number(values.warm),
    rounds: Number(values.rounds),
    patienceSeconds: Number(values.patience),
  };
  if (!(timing.seconds > 0)) throw new Error('--seconds must be a positive number');
  if (!(timing.warmSeconds >= 0)) throw new Error('--warm must be a number of seconds');
  if (!(timing.patienceSeconds >= 0)) throw new Error('--patience must be a number of seconds');
  atLeast(timing.rounds, 1, '--rounds');
  const events = atLeast(Number(values.events), 1000, '--events');
  const sleeping = atLeast(Number(values.sleeping), 1, '--sleeping');
  const consumers = atLeast(Number(values.consumers), 1, '--consumers');
  const messages = atLeast(Number(values.messages), 15_000, '--messages');
  const away = atLeast(Number(values.away), 1, '--away');
  const scale = Number(values.scale);
  if (!(scale > 0)) throw new Error('--scale must be a positive number');
  const counts = { events, sleeping, consumers, scale, messages, away };
  const { named, directory, write } = values;
  return { only, named, directory, write, ...counts, ...timing };
}

function atLeast(count: number, least: number, name: string): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw new Error(`${name} must be at least ${least}`);
}
