/** A connection of a client, and what shares its places. */
import type { Socket } from 'node:net';
import type { AnswerState } from '../../http/request-head.js';

/** All connections from one address. */
export interface Owner {
  readonly key: string;
  held: number;
  /** Without a request yet, the oldest first. */
  readonly silent: Set<Connection>;
}

export interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  owner: Owner | null;
  /** The latest request's answer; null before the first request. */
  latest: AnswerState | null;
  /** When an answer was last sent whole, by the monotonic clock. */
  answeredAt: number;
  /** Notes that an answer was sent whole; made once, not for each request. */
  readonly answered: () => void;
}
