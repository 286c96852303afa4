/** A connection of a client, and what shares its places. */
import type { Socket } from 'node:net';
import type { Clock } from '../../engine/clock.js';
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
  /** Whether a request has come on it. */
  hasAsked: boolean;
  /**
   * The latest request's answer, until it is sent and all of the request has come: an answer keeps
   * its request, and that its body, which no limit of bytes would count any more.
   */
  latest: AnswerState | null;
  /** When an answer was last sent whole, by the monotonic clock. */
  answeredAt: number;
  /** Notes that an answer was sent whole; made once, not for each request. */
  readonly answered: () => void;
}

/** A connection that was opened now. */
export function opened(socket: Socket, clock: Clock): Connection {
  const openedAt = clock.monotonic();
  const connection: Connection = {
    socket,
    openedAt,
    owner: null,
    hasAsked: false,
    latest: null,
    answeredAt: openedAt,
    answered: () => {
      connection.answeredAt = clock.monotonic();
      // A request that came behind it has the latest answer.
      const { latest } = connection;
      if (latest?.closed === true && latest.req.complete) connection.latest = null;
    },
  };
  return connection;
}

/** Whether its last answer is sent, and no other request has come. */
export function isIdle({ hasAsked, latest }: Connection): boolean {
  return hasAsked && (latest === null || latest.writableFinished);
}
