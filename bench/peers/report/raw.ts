/** Everything that was measured, for `bench/results.md`. */
import { markdown } from '../../measure/table.js';
import type { Outcome, WorkResult } from '../works/race-all.js';
import type { HeldOutcome, WaitingResult } from '../works/waiting.js';
import { short, spreadOf, whole } from './figures.js';
import type { Entry, PeersFound } from './found.js';

const mebibyte = 1024 ** 2;

/** What was measured, with what promise. */
export function entryTable(entries: readonly Entry[]): string {
  return markdown([
    ['name', 'versions', 'what an acknowledgement of it means'],
    ...entries.map(({ peer, versions, install }) => [
      peer.title,
      install === null ? versions : `absent: \`${install}\``,
      peer.durability,
    ]),
  ]);
}

/** A line for each peer at each work. */
export function workTable({ works }: PeersFound): string {
  const head = ['work', 'beside', 'per second', 'Stepwell over it', 'p50 / p99 ms', 'CPU us'];
  return markdown([[...head, 'application CPU us'], ...works.flatMap(workLines)]);
}

function workLines({ work, outcomes }: WorkResult): string[][] {
  return outcomes.map((outcome: Outcome) => {
    const { title } = outcome.peer;
    if ('failure' in outcome) return [work.name, title, failureOf(outcome), '', '', '', ''];
    const { rate, ratio, latency, cpuMicroseconds, applicationMicroseconds } = outcome.performance;
    return [
      work.name,
      title,
      `${whole(rate.median)} (${whole(rate.lowest)}-${whole(rate.highest)}) ${work.unit}`,
      ratio === null ? '' : spreadOf(ratio),
      latency === null ? '' : `${short(latency.p50)} / ${short(latency.p99)}`,
      short(cpuMicroseconds),
      applicationMicroseconds === null ? '' : short(applicationMicroseconds),
    ];
  });
}

export function waitingTable({ waiting }: PeersFound): string {
  const head = ['what waits', 'held by', 'idle MiB', 'B each, filled', 'B each, restarted'];
  return markdown([
    [...head, 'empty start ms', 'start with them ms'],
    ...waiting.flatMap(waitingLines),
  ]);
}

function waitingLines({ waiting, outcomes }: WaitingResult): string[][] {
  const name = `${waiting.count.toLocaleString('en')} ${waiting.noun}s`;
  return outcomes.map((outcome) => {
    const { title } = outcome.peer;
    if ('failure' in outcome) return [name, title, failureOf(outcome), '', '', '', ''];
    const { idleBytes, filledBytes, restartedBytes, emptyMs, fullMs } = outcome.held;
    return [
      name,
      title,
      whole(idleBytes / mebibyte),
      whole(filledBytes),
      whole(restartedBytes),
      emptyMs === null ? '' : spreadOf(emptyMs),
      fullMs === null ? '' : spreadOf(fullMs),
    ];
  });
}

/** In one line and one cell. */
function failureOf(outcome: Outcome | HeldOutcome): string {
  if (!('failure' in outcome)) return '';
  return `failed: ${outcome.failure.replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, 200)}`;
}
