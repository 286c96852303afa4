/** The works that all peers are measured with. */
import type { Round } from '../../measure/contest.js';
import type { Sink } from '../../measure/sink.js';
import type { PeerServer, WorkKind } from '../peer.js';

/** One row of the table. */
export interface Work {
  readonly name: string;
  readonly kind: WorkKind;
  /** What one operation is: `messages`. */
  readonly unit: string;
  /** Of one message or record. */
  readonly bytes: number;
  /** What a ratio compares: operations per second, or the median latency, inverted. */
  readonly compares: 'rate' | 'latency';
  /** Length of its rounds, of what was asked for. */
  readonly share: number;
  /** Prepares a peer that has just been started. */
  begin(server: PeerServer, sink: Sink): Promise<Rounds>;
}

/** One peer at one work. */
export interface Rounds {
  /** Works for about so long. Rejects if anything went wrong. */
  run(seconds: number): Promise<Round>;
}

/** What a peer that names a kind of work must have. */
export function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the peer cannot do what it says it does');
  return part;
}
