/** Clients of peers that are asked over HTTP. */
import { bytesOf, LeanConnection, type LeanRequest } from '../../load/lean-connection.js';
import type { Round } from '../../measure/contest.js';
import type { Caller } from '../peer.js';
import { runRound, type Until } from './rounds.js';

export const json = { 'content-type': 'application/json' } as const;
export const text = { 'content-type': 'text/plain' } as const;

/** The same request again and again. */
export async function repeating(
  request: LeanRequest,
  connections: number,
  operationsEach: number,
): Promise<Caller> {
  const bytes = bytesOf(request);
  const open = () => LeanConnection.open(request.origin);
  const opened = await Promise.all(Array.from({ length: connections }, open));
  return {
    operationsEach,
    call: async (connection) => opened[connection]?.send(bytes),
    close: async () => {
      for (const connection of opened) connection.close();
    },
  };
}

/**
 * One round of it. Its connections are its own: servers close those that were idle for some
 * seconds, while others had their turn.
 */
export async function requestRound(
  request: LeanRequest,
  connections: number,
  operationsEach: number,
  until: Until,
): Promise<Round> {
  const caller = await repeating(request, connections, operationsEach);
  return runRound(caller, connections, until).finally(() => caller.close());
}
