/** What Stepwell is to reach at a work, beside the others in the same run. */
import type { WorkResult } from '../works/race-all.js';
import { performanceOf } from './found.js';

/** What one goal found: null where the other side was not measured. */
export interface Goal {
  readonly text: string;
  isMet(result: WorkResult): boolean | null;
}

const own = 'stepwell';

/** Stepwell over another one, or its own median latency over the other's, inverted. */
function over(name: string, least: number): Goal {
  const who = name === 'bare' ? 'of bare' : `x ${name}`;
  return {
    text: `>= ${least}${name === 'bare' ? ' ' : ''}${who}`,
    isMet: (result) => {
      const ratio = performanceOf(result, name)?.ratio ?? null;
      return ratio === null ? null : ratio.median >= least;
    },
  };
}

function cpuAtMost(microseconds: number): Goal {
  return {
    text: `CPU <= ${microseconds} us`,
    isMet: (result) => {
      const found = performanceOf(result, own);
      return found === null ? null : found.cpuMicroseconds <= microseconds;
    },
  };
}

function rateAtLeast(perSecond: number): Goal {
  return {
    text: `>= ${perSecond.toLocaleString('en')}/s`,
    isMet: (result) => {
      const found = performanceOf(result, own);
      return found === null ? null : found.rate.median >= perSecond;
    },
  };
}

function latencyAtMost(name: string, most: number): Goal {
  return {
    text: `p50 <= ${most}x ${name}`,
    isMet: (result) => {
      const [ours, theirs] = [own, name].map((each) => performanceOf(result, each)?.latency?.p50);
      return ours === undefined || theirs === undefined ? null : ours <= most * theirs;
    },
  };
}

/** One of them is enough. */
function either(one: Goal, other: Goal): Goal {
  return {
    text: `${one.text} or ${other.text}`,
    isMet: (result) => {
      const [first, second] = [one.isMet(result), other.isMet(result)];
      if (first === true || second === true) return true;
      return first === null || second === null ? null : false;
    },
  };
}

/** By the name of a work. */
const goals: ReadonlyMap<string, readonly Goal[]> = new Map([
  ...[16, 64, 256].map(
    (inFlight) => [`publish accepted, 1 KiB, ${inFlight} in flight`, [over('bare', 0.75)]] as const,
  ),
  ['batches of 100 x 1 KiB accepted', [either(rateAtLeast(60_000), over('bare', 0.65))]],
  ['batches of 100 x 100 B accepted', [either(rateAtLeast(120_000), over('bare', 0.4))]],
  [
    'published to delivered, 1 KiB, 64 in flight',
    [over('restate', 6), over('bullmq', 2.5), over('bare', 0.65), cpuAtMost(120)],
  ],
  ['queue, one at a time, 1 KiB, in batches of 100', [rateAtLeast(2500)]],
  ['5-step runs, minimal endpoint, 1 in flight', [latencyAtMost('restate', 0.85)]],
  [
    '5-step runs, minimal endpoint, 64 in flight',
    [over('restate', 1.8), over('bare', 0.75), cpuAtMost(1600)],
  ],
  ['produce, one record of 1 KiB, 64 in flight', [cpuAtMost(80)]],
] as const);

/** Each goal of a work, with what became of it. */
export function verdicts(result: WorkResult): string {
  const found = goals.get(result.work.name) ?? [];
  return found.map((goal) => `${goal.text}: ${wordOf(goal.isMet(result))}`).join('; ');
}

/** Names of works that have goals: each must be the name of a work. */
export const worksWithGoals: readonly string[] = [...goals.keys()];

export function wordOf(isMet: boolean | null): string {
  if (isMet === null) return 'not measured';
  return isMet ? 'met' : 'missed';
}
