/** What is known of an open connection, and with which others it shares what it may take. */
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../engine/clock.js';
import type { AnswerState } from '../../http/request-head.js';

/** Gives a connection to Node's server. */
export type Onwards = (socket: Socket) => void;

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

export function opened(socket: Socket, clock: Clock): Connection {
  const openedAt = clock.monotonic();
  const connection: Connection = {
    socket,
    openedAt,
    owner: null,
    latest: null,
    answeredAt: openedAt,
    answered: () => {
      connection.answeredAt = clock.monotonic();
    },
  };
  return connection;
}

/** What shares one share: an IPv4 address, or the network of an IPv6 address. */
export function shareOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
