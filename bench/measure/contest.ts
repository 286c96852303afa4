/**
 * Stepwell and what stands beside it, a bare loop of the same work or Stepwell without what is in
 * question, measured in turns: A B A B, in one run.
 */
import type { MeasuredProcess } from './measured-process.js';
import { quietMoment } from './quiet-moment.js';
import { ascending, median, percentile, type Spread, spread } from './statistics.js';

/** What one side did in one round. */
export interface Round {
  readonly operations: number;
  readonly seconds: number;
  /** Milliseconds, one for each operation that the client waited for; empty if not measured. */
  readonly latencies: readonly number[];
}

/** One side of a contest. */
export interface Contestant {
  /** The process that does the work; what it uses is measured. */
  readonly process: MeasuredProcess;
  /** Works for about so long. A round that went wrong in any way rejects. */
  run(seconds: number): Promise<Round>;
}

export interface Contest {
  readonly stepwell: Contestant;
  readonly beside: Contestant;
  /** Ends what both used, their processes included. */
  stop(): Promise<void>;
}

/** One line of the table. */
export interface Case {
  readonly scenario: string;
  readonly name: string;
  /** What stands beside Stepwell. */
  readonly beside: string;
  /** What one operation is. */
  readonly unit: string;
  /** The ratio to reach; null where none was set. */
  readonly goal: number | null;
  /** Operations per second to reach, where one was set. */
  readonly rateGoal?: number;
  /** Bytes of one operation, where bytes per second say something too. */
  readonly bytesEach?: number;
  /** Why it cannot be run on this machine, if so. */
  readonly impossible?: string;
  /** What the ratio compares: operations per second, or the median latency, inverted. */
  readonly compares: 'rate' | 'latency';
  /** Length of its rounds as a share of what was asked for: many short cases share the time. */
  readonly share: number;
  /** `directory` is empty, the case's own, and removed afterwards. */
  contest(directory: string): Promise<Contest>;
}

/** One side's rounds together. */
export interface Performance {
  /** Operations per second. */
  readonly rate: Spread;
  /** Of all rounds together; null if not measured. */
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  /** CPU time of the measured process per operation, microseconds, median of rounds. */
  readonly cpuMicroseconds: number;
  /** After the last round. */
  readonly residentBytes: number;
}

/** How long and how often a case is measured. */
export interface Timing {
  readonly rounds: number;
  /** Length of one round of one side; a case takes its share of it. */
  readonly seconds: number;
  /** How long each side works before the rounds that count; at least one round. */
  readonly warmSeconds: number;
  /** How long a pair of rounds waits for a moment in which no other process uses the machine. */
  readonly patienceSeconds: number;
}

export interface Result {
  readonly case: Case;
  /** Pairs of rounds that began although others were using the machine. */
  readonly noisyRounds: number;
  /** Stepwell over what stands beside it, one ratio for each pair of rounds; more is better. */
  readonly ratio: Spread;
  readonly stepwell: Performance;
  readonly beside: Performance;
}

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

/** Runs one case: both sides warm, then in turns. */
export async function race(
  subject: Case,
  directory: string,
  { rounds, seconds: length, warmSeconds, patienceSeconds }: Timing,
): Promise<Result> {
  const seconds = length * subject.share;
  const contest = await subject.contest(directory);
  let noisyRounds = 0;
  const stepwell: MeasuredRound[] = [];
  const beside: MeasuredRound[] = [];
  try {
    for (const side of [contest.stepwell, contest.beside]) await warm(side, seconds, warmSeconds);
    for (let round = 0; round < rounds; round += 1) {
      if (!(await quietMoment(patienceSeconds))) noisyRounds += 1;
      stepwell.push(await measure(contest.stepwell, seconds));
      beside.push(await measure(contest.beside, seconds));
    }
  } finally {
    await contest.stop();
  }
  const ratios = stepwell.map((ours, round) => {
    const theirs = beside[round];
    if (theirs === undefined) throw new Error('a round has one side');
    return subject.compares === 'rate'
      ? rateOf(ours) / rateOf(theirs)
      : median(theirs.latencies) / median(ours.latencies);
  });
  return {
    case: subject,
    noisyRounds,
    ratio: spread(ratios),
    stepwell: performanceOf(stepwell),
    beside: performanceOf(beside),
  };
}

/**
 * Rounds that count for nothing: what a JavaScript engine has compiled, files that have grown and
 * connections that are open are what a server has that has run for more than a moment.
 */
export async function warm(
  side: Pick<Contestant, 'run'>,
  roundSeconds: number,
  warmSeconds: number,
): Promise<void> {
  const until = performance.now() + warmSeconds * 1000;
  do await side.run(roundSeconds);
  while (performance.now() < until);
}

async function measure(contestant: Contestant, seconds: number): Promise<MeasuredRound> {
  const before = await contestant.process.usage();
  const round = await contestant.run(seconds);
  const after = await contestant.process.usage();
  if (round.operations === 0) throw new Error('a round in which nothing was done');
  return {
    ...round,
    cpuMicroseconds: after.cpuMicroseconds - before.cpuMicroseconds,
    residentBytes: after.residentBytes,
  };
}

function rateOf({ operations, seconds }: Round): number {
  return operations / seconds;
}

function performanceOf(rounds: readonly MeasuredRound[]): Performance {
  const latencies = ascending(rounds.flatMap((round) => round.latencies));
  return {
    rate: spread(rounds.map(rateOf)),
    latency:
      latencies.length === 0
        ? null
        : { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
    cpuMicroseconds: median(rounds.map((round) => round.cpuMicroseconds / round.operations)),
    residentBytes: rounds.at(-1)?.residentBytes ?? Number.NaN,
  };
}
