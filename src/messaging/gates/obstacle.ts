/** The limit of a closed gate and its use: the answer to why an attempt waits. */

/** The limit of one gate and how much of it is taken, in the terms of that gate. */
export type Obstacle =
  | {
      readonly gate: 'queue';
      readonly queueName: string;
      readonly isPaused: boolean;
      readonly parallelism: number;
      /** Messages that hold a slot: in flight, awaiting a retry or the end of their callbacks. */
      readonly taken: number;
      /** The ids of the first messages that hold a slot. */
      readonly holders: readonly string[];
    }
  | {
      readonly gate: 'flowControl';
      readonly key: string;
      readonly isPaused: boolean;
      /** null = not limited. */
      readonly parallelism: number | null;
      readonly running: number;
      /** Starts per period; null = not limited. */
      readonly rate: number | null;
      readonly periodSeconds: number;
      /** Starts used up in the current window. */
      readonly spent: number;
      /** End of the current window, Unix milliseconds; null = no window is open. */
      readonly windowEndsAt: number | null;
    }
  | {
      readonly gate: 'pausedOrigin';
      readonly origin: string;
    }
  | {
      readonly gate: 'origin' | 'domain';
      /** The origin, or the domain. */
      readonly destination: string;
      readonly running: number;
      /** The most that it may have; its share is smaller while others take places. */
      readonly limit: number;
    }
  | {
      readonly gate: 'bodyBytes' | 'attempts';
      /** Bytes, or attempts. */
      readonly taken: number;
      readonly limit: number;
    }
  | {
      /** This node of a cluster cannot currently prove that it owns the shared log. */
      readonly gate: 'ownership';
    };

/** What an attempt waits for. */
export interface GateWait {
  readonly obstacle: Obstacle;
  /** Attempts ahead of it in the same line; null = too many to count. */
  readonly ahead: number | null;
}
