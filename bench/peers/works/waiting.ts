/** What waits in great numbers: the memory of one of them, and starts without and with them. */
import { join } from 'node:path';
import { batchSize } from '../../load/message-batches.js';
import { machineTime } from '../../measure/machine-time.js';
import { memoryOf } from '../../measure/process-tree.js';
import { type Spread, spread } from '../../measure/statistics.js';
import type { Peer, PeerServer, Place, Publishing } from '../peer.js';
import { requestRound } from '../processes/http.js';
import { required } from './work.js';

const hourSeconds = 3600;
const bytes = 1024;
const singlesInFlight = 64;
const batchesInFlight = 4;

/** After so long a server has done what it does after it has answered. */
const settleMs = 1500;

/** What waits. */
export interface Waiting {
  readonly kind: 'wait' | 'sleep';
  readonly noun: 'message' | 'run';
  readonly count: number;
}

/** What one peer holds, and how long it takes to begin. */
export interface Held {
  /** Bytes of memory without anything. */
  readonly idleBytes: number;
  /** Of one of them: after they came, and after a restart. */
  readonly filledBytes: number;
  readonly restartedBytes: number;
  /** From the start of its processes to the first publish that it accepts, milliseconds. */
  readonly emptyMs: Spread | null;
  readonly fullMs: Spread | null;
}

export type HeldOutcome =
  | { readonly peer: Peer; readonly held: Held }
  | { readonly peer: Peer; readonly failure: string };

export interface WaitingResult {
  readonly waiting: Waiting;
  readonly outcomes: readonly HeldOutcome[];
  readonly tookSeconds: number;
}

/** One peer after the other: each is alone while its memory is looked at. */
export async function measureWaiting(
  waiting: Waiting,
  peers: readonly Peer[],
  directory: string,
  rounds: number,
): Promise<WaitingResult> {
  const began = performance.now();
  const outcomes: HeldOutcome[] = [];
  for (const peer of peers) {
    try {
      outcomes.push({ peer, held: await hold(waiting, peer, join(directory, peer.name), rounds) });
    } catch (error) {
      outcomes.push({ peer, failure: error instanceof Error ? error.message : String(error) });
    }
  }
  return { waiting, outcomes, tookSeconds: (performance.now() - began) / 1000 };
}

async function hold(
  waiting: Waiting,
  peer: Peer,
  directory: string,
  rounds: number,
): Promise<Held> {
  const placeOf = (name: string): Place => ({
    ...{ directory: `${directory}-${name}`, kind: waiting.kind, bytes },
    destination: 'http://127.0.0.1:8080',
  });
  const emptyMs: number[] = [];
  // The first start is not counted: programs are read from the disk, and code is compiled and kept.
  for (let round = -1; round < rounds; round += 1) {
    const place = placeOf(`empty-${round}`);
    await peer.prepare?.(place);
    const { server, milliseconds } = await started(peer, place);
    await server.stop();
    if (round >= 0) emptyMs.push(milliseconds);
  }
  const place = placeOf('full');
  await peer.prepare?.(place);
  const { idleBytes, fullBytes } = await filled(waiting, peer, place);
  const fullMs: number[] = [];
  let restartedBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { server, milliseconds } = await started(peer, place);
    fullMs.push(milliseconds);
    if (round === rounds - 1) restartedBytes = await restingBytes(server);
    await server.stop();
  }
  return {
    idleBytes,
    filledBytes: (fullBytes - idleBytes) / waiting.count,
    restartedBytes: (restartedBytes - idleBytes) / waiting.count,
    emptyMs: spread(emptyMs),
    fullMs: spread(fullMs),
  };
}

async function filled({ kind, count }: Waiting, peer: Peer, place: Place) {
  const { server } = await started(peer, place);
  try {
    const idleBytes = await restingBytes(server);
    if (kind === 'sleep') await required(server.sleep)(count);
    else await publishAll(peer, server, count);
    return { idleBytes, fullBytes: await restingBytes(server) };
  } finally {
    await server.stop();
  }
}

async function publishAll(peer: Peer, server: PeerServer, count: number): Promise<void> {
  const messages = peer.kinds.includes('batch') ? batchSize : 1;
  const inFlight = messages === 1 ? singlesInFlight : batchesInFlight;
  const request = required(server.publish)(delayed(messages));
  await requestRound(request, inFlight, messages, { calls: Math.ceil(count / messages) });
}

/** A server and how long it took until it accepted a message. */
async function started(peer: Peer, place: Place) {
  const start = machineTime();
  const server = await peer.start(place);
  try {
    await requestRound(required(server.publish)(delayed(1)), 1, 1, { calls: 1 });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { server, milliseconds: machineTime() - start };
}

async function restingBytes({ processes }: PeerServer): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  return memoryOf(processes);
}

function delayed(messages: number): Publishing {
  const bodies = Array<string>(messages).fill('x'.repeat(bytes));
  return { url: 'http://127.0.0.1:8080/orders', bodies, delaySeconds: hourSeconds };
}
