/**
 * Whether the server answers, and when it last did: while it does not, pages show data from then.
 */
import { useSyncExternalStore } from 'react';
import { now } from '../time/clock.ts';

/** The result of `useConnection`. */
export interface ServerConnection {
  /** Whether the last request reached the server. */
  readonly isUp: boolean;
  /** When the server last answered, in Unix ms. */
  readonly answeredAt: number;
}

const listeners = new Set<() => void>();
let connection: ServerConnection = { isUp: true, answeredAt: now() };

/** Called when the server has answered, whatever it said, or was not reached. */
export function noteConnection(isUp: boolean): void {
  const hasChanged = isUp !== connection.isUp;
  connection = { isUp, answeredAt: isUp ? now() : connection.answeredAt };
  if (hasChanged) for (const listener of listeners) listener();
}

/** Renders again when the server goes away or returns, not for each answer. */
export function useConnection(): ServerConnection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}
