/** The limit of a closed gate and its use, for the answer to why an attempt waits. */

/** The limit of one gate and how much of it is taken, each gate in its own words. */
export type Obstacle =
  | {
      readonly gate: 'queue';
      readonly queueName: string;
      readonly isPaused: boolean;
      readonly parallelism: number;
      /** Messages that hold a slot: they run, or await a retry or the end of their callbacks. */
      readonly taken: number;
      /** The ids of the first of these. */
      readonly holders: readonly string[];
    }
  | {
      readonly gate: 'flowControl';
      readonly key: string;
      readonly isPaused: boolean;
      /** null = not limited. */
      readonly parallelism: number | null;
      readonly running: number;
      /** Starts for each period; null = not limited. */
      readonly rate: number | null;
      readonly periodSeconds: number;
      /** Starts that the open window has spent. */
      readonly spent: number;
      /** Unix milliseconds; null = no window is open. */
      readonly windowEndsAt: number | null;
    }
  | {
      readonly gate: 'pausedOrigin';
      readonly origin: string;
    }
  | {
      readonly gate: 'origin';
      readonly origin: string;
      readonly running: number;
      /** What the origin may have at most; its share is smaller while others take places. */
      readonly limit: number;
    }
  | {
      readonly gate: 'bodyBytes' | 'attempts';
      /** Bytes, or attempts. */
      readonly taken: number;
      readonly limit: number;
    }
  | {
      /** This node of a cluster cannot prove at the moment that it owns the shared log. */
      readonly gate: 'ownership';
    };

/** Where an attempt waits. */
export interface GateWait {
  readonly obstacle: Obstacle;
  /** Attempts that wait in the same line and go first; null = more than are counted. */
  readonly ahead: number | null;
}
