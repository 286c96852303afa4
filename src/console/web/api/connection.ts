/** Whether the server answers, and when it did last: what is shown meanwhile is of then. */
import { useSyncExternalStore } from 'react';
import { now } from '../time/clock.ts';

/** What `useConnection` tells. */
export interface ServerConnection {
  /** The last request found the server. */
  readonly isUp: boolean;
  /** When it answered last, Unix milliseconds. */
  readonly answeredAt: number;
}

const listeners = new Set<() => void>();
let connection: ServerConnection = { isUp: true, answeredAt: now() };

/** The server has answered, whatever it said, or a request has not found it. */
export function noteConnection(isUp: boolean): void {
  const hasChanged = isUp !== connection.isUp;
  connection = { isUp, answeredAt: isUp ? now() : connection.answeredAt };
  if (hasChanged) for (const listener of listeners) listener();
}

/** The page is drawn anew when the server goes or comes back, and not for each answer. */
export function useConnection(): ServerConnection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}
