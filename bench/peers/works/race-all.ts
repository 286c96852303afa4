/**
 * All peers at one work, in turns: A B C, C B A, so that none always follows the same one, whose
 * last writes may still be on their way to the disk. One that fails is left out from then on.
 */
import { join } from 'node:path';
import { type Round, warm } from '../../measure/contest.js';
import { cpuOf } from '../../measure/process-tree.js';
import { quietMoment } from '../../measure/quiet-moment.js';
import { Sink } from '../../measure/sink.js';
import { ascending, median, percentile, type Spread, spread } from '../../measure/statistics.js';
import type { Peer, PeerServer } from '../peer.js';
import type { Rounds, Work } from './work.js';

/** One peer's rounds together. */
export interface Performance {
  readonly rate: Spread;
  /** Milliseconds, of all rounds together; null if not measured. */
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  /** Process time of everything that serves, per operation; median of rounds. */
  readonly cpuMicroseconds: number;
  /** The same of what a user of it writes and runs; null where there is nothing. */
  readonly applicationMicroseconds: number | null;
  /** Stepwell over this peer, one ratio for each pair of rounds; more is better for Stepwell. */
  readonly ratio: Spread | null;
}

export type Outcome =
  | { readonly peer: Peer; readonly performance: Performance }
  | { readonly peer: Peer; readonly failure: string };

export interface WorkResult {
  readonly work: Work;
  readonly outcomes: readonly Outcome[];
  readonly tookSeconds: number;
}

/** How long and how often. */
export interface Timing {
  readonly rounds: number;
  readonly seconds: number;
  /** How long each peer works before the rounds that count; at least one round. */
  readonly warmSeconds: number;
  /** How long a round waits for a moment in which no other process uses the machine. */
  readonly patienceSeconds: number;
}

interface MeasuredRound extends Round {
  readonly cpuMicroseconds: number;
  readonly applicationMicroseconds: number;
}

/** A peer that has been started for a work. */
interface Entrant {
  readonly peer: Peer;
  readonly rounds: (MeasuredRound | null)[];
  server: PeerServer | null;
  sink: Sink | null;
  prepared: Rounds | null;
  failure: string | null;
}

/** After so long a start or a round is given up. */
const patienceMs = 90_000;

/** `peers` are those that can do it; the first one is what the others are compared with. */
export async function raceAll(
  work: Work,
  peers: readonly Peer[],
  directory: string,
  { rounds, seconds: length, warmSeconds, patienceSeconds }: Timing,
): Promise<WorkResult> {
  const began = performance.now();
  const seconds = length * work.share;
  const entrants = peers.map(
    (peer): Entrant => ({
      ...{ peer, rounds: [], server: null, sink: null, prepared: null, failure: null },
    }),
  );
  try {
    for (const entrant of entrants) {
      await attempt(entrant, async () => {
        await enter(entrant, work, join(directory, entrant.peer.name));
        if (entrant.prepared !== null) await warm(entrant.prepared, seconds, warmSeconds);
      });
    }
    for (let round = 0; round < rounds; round += 1) {
      const turns = round % 2 === 0 ? entrants : entrants.toReversed();
      for (const entrant of turns) {
        entrant.rounds[round] = null;
        if (entrant.failure !== null) continue;
        await quietMoment(patienceSeconds);
        await attempt(entrant, async () => {
          entrant.rounds[round] = await measure(entrant, seconds);
        });
      }
    }
  } finally {
    for (const entrant of entrants) await leave(entrant);
  }
  const outcomes = entrants.map((entrant) => outcomeOf(entrant, entrants[0], work));
  return { work, outcomes, tookSeconds: (performance.now() - began) / 1000 };
}

async function enter(entrant: Entrant, work: Work, directory: string): Promise<void> {
  const { peer } = entrant;
  entrant.sink = await Sink.start();
  const { kind, bytes } = work;
  const place = { directory, kind, bytes, destination: entrant.sink.origin };
  await peer.prepare?.(place);
  entrant.server = await peer.start(place);
  entrant.prepared = await work.begin(entrant.server, entrant.sink);
}

/** What goes wrong with one peer is its own, and ends it. */
async function attempt(entrant: Entrant, action: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), patienceMs);
  });
  try {
    await Promise.race([action(), late]);
  } catch (error) {
    entrant.failure = error instanceof Error ? error.message : String(error);
    await leave(entrant);
  } finally {
    clearTimeout(timer);
  }
}

async function leave(entrant: Entrant): Promise<void> {
  const { server, sink } = entrant;
  entrant.prepared = null;
  entrant.server = null;
  entrant.sink = null;
  await server?.stop().catch(() => undefined);
  await sink?.stop();
}

async function measure({ server, prepared }: Entrant, seconds: number): Promise<MeasuredRound> {
  if (server === null || prepared === null) throw new Error('a peer that was not started');
  const [served, applied] = [cpuOf(server.processes), cpuOf(server.applications)];
  const round = await prepared.run(seconds);
  if (round.operations === 0) throw new Error('a round in which nothing was done');
  return {
    ...round,
    cpuMicroseconds: cpuOf(server.processes) - served,
    applicationMicroseconds: cpuOf(server.applications) - applied,
  };
}

function outcomeOf(entrant: Entrant, first: Entrant | undefined, work: Work): Outcome {
  const { peer, failure } = entrant;
  const rounds = entrant.rounds.filter((round) => round !== null);
  if (failure !== null) return { peer, failure };
  const latencies = ascending(rounds.flatMap((round) => round.latencies));
  const each = (of: (round: MeasuredRound) => number) =>
    median(rounds.map((round) => of(round) / round.operations));
  const hasApplication = rounds.some((round) => round.applicationMicroseconds > 0);
  return {
    peer,
    performance: {
      rate: spread(rounds.map(rateOf)),
      latency:
        latencies.length === 0
          ? null
          : { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
      cpuMicroseconds: each((round) => round.cpuMicroseconds),
      applicationMicroseconds: hasApplication
        ? each((round) => round.applicationMicroseconds)
        : null,
      ratio: first === undefined || first === entrant ? null : ratioOf(first, entrant, work),
    },
  };
}

function ratioOf(first: Entrant, other: Entrant, { compares }: Work): Spread | null {
  const ratios = first.rounds.flatMap((ours, round) => {
    const theirs = other.rounds[round];
    if (ours === null || theirs === null || theirs === undefined) return [];
    if (compares === 'rate') return [rateOf(ours) / rateOf(theirs)];
    return [median(theirs.latencies) / median(ours.latencies)];
  });
  return ratios.length === 0 ? null : spread(ratios);
}

function rateOf({ operations, seconds }: Round): number {
  return operations / seconds;
}
