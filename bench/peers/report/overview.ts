/** The one table of the README: a line for each work, a column for each that was measured. */
import type { Result } from '../../measure/contest.js';
import { markdown } from '../../measure/table.js';
import type { WorkResult } from '../works/race-all.js';
import type { WaitingResult } from '../works/waiting.js';
import { short, times, whole } from './figures.js';
import {
  type Entry,
  hasFailed,
  heldBy,
  type PeersFound,
  performanceOf,
  reasonOf,
} from './found.js';
import { verdicts, wordOf } from './goals.js';

const own = 'stepwell';
const mebibyte = 1024 ** 2;
const goalIdleMiB = 100;

export function overview({ entries, works, waiting, contests }: PeersFound): string {
  const others = entries.filter(({ peer }) => peer.name !== own);
  const titles = others.map(({ peer }) => peer.title);
  return markdown([
    ['work', 'Stepwell', 'CPU us', ...titles, 'goals'],
    ...works.map((result) => workLine(result, others)),
    ...waiting.flatMap((result) => waitingLines(result, others)),
    ...contests.map((result) => contestLine(result, others)),
  ]);
}

function workLine(result: WorkResult, others: readonly Entry[]): string[] {
  const { work } = result;
  const ours = performanceOf(result, own);
  return [
    work.name,
    ours === null ? failed(result) : seenOf(result, ours),
    ours === null ? '' : whole(ours.cpuMicroseconds),
    ...others.map((entry) => {
      const found = performanceOf(result, entry.peer.name);
      if (found !== null) return times(found.ratio);
      return hasFailed(result.outcomes, entry.peer.name) ? 'failed' : reasonOf(entry, work.kind);
    }),
    verdicts(result),
  ];
}

function failed({ outcomes }: WorkResult): string {
  return hasFailed(outcomes, own) ? 'failed' : 'not run';
}

type Seen = NonNullable<ReturnType<typeof performanceOf>>;

function seenOf({ work }: WorkResult, { rate, latency }: Seen): string {
  const perSecond = `${whole(rate.median)}/s`;
  if (latency === null) return perSecond;
  const each = `${short(latency.p50)} / ${short(latency.p99)} ms`;
  return work.compares === 'latency' ? each : `${perSecond}, ${each}`;
}

function waitingLines(result: WaitingResult, others: readonly Entry[]): string[][] {
  const { waiting, outcomes } = result;
  const count = waiting.count.toLocaleString('en');
  const all = waiting.kind === 'sleep' ? 'runs asleep' : 'messages waiting';
  const line = (name: string, of: (held: Held) => number | null, goal = ''): string[] => {
    const cellOf = (peer: string, otherwise: string) => {
      const held = heldBy(result, peer);
      const value = held === null ? null : of(held);
      if (value !== null) return whole(value);
      return hasFailed(outcomes, peer) ? 'failed' : otherwise;
    };
    const cells = others.map((entry) => cellOf(entry.peer.name, reasonOf(entry, waiting.kind)));
    return [name, cellOf(own, 'not run'), '', ...cells, goal];
  };
  const idle = heldBy(result, own)?.idleBytes ?? Number.NaN;
  const isIdleMet = Number.isNaN(idle) ? null : idle / mebibyte <= goalIdleMiB;
  const idleGoal = `<= ${goalIdleMiB}: ${wordOf(isIdleMet)}`;
  const both = [
    line(`one of ${count} ${all}, after a restart, B`, (held) => held.restartedBytes),
    line(`start with ${count} ${all}, ms`, (held) => held.fullMs?.median ?? null),
  ];
  if (waiting.kind === 'sleep') return both;
  return [
    line('memory of an idle server, MiB', (held) => held.idleBytes / mebibyte, idleGoal),
    line('start of an empty folder, ms', (held) => held.emptyMs?.median ?? null),
    ...both,
  ];
}

type Held = NonNullable<ReturnType<typeof heldBy>>;

/** Contests are with a bare loop alone. */
function contestLine(result: Result, others: readonly Entry[]): string[] {
  const { case: subject, ratio, stepwell } = result;
  const cells = others.map(({ peer }) => (peer.name === 'bare' ? times(ratio) : '-'));
  return [
    `${subject.scenario}: ${subject.name}`,
    `${whole(stepwell.rate.median)}/s`,
    whole(stepwell.cpuMicroseconds),
    ...cells,
    contestGoal(result),
  ];
}

function contestGoal({ case: { goal }, ratio }: Result): string {
  return goal === null ? '' : `>= ${goal} of bare: ${wordOf(ratio.median >= goal)}`;
}
