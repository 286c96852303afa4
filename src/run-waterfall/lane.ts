/** What a run's lanes are made of, and made from. All times are Unix milliseconds. */

/** What is read of a row. Rows come as the journal has them, which is not the order of times. */
export interface RunRow {
  readonly time: number;
  readonly state: string;
  readonly stepInfo?: RowStep;
  readonly nextDeliveryTime?: number;
  readonly error?: string;
  readonly responseHeaders?: Readonly<Record<string, readonly string[]>>;
  /** Of an attempt that has ended: the steps that the endpoint ran in it. */
  readonly executed?: readonly { readonly stepName: string; readonly stepType: string }[];
}

/** The step that a row is about. */
export interface RowStep {
  readonly stepName: string;
  readonly stepType: string;
  readonly callType: string;
  readonly messageId?: string;
  readonly concurrent: number;
}

/**
 * `queued`: to be delivered; `retry`: until its next attempt; `stored`: the moment at which what
 * the step came to was in the journal.
 */
export type BarKind = 'attempt' | 'queued' | 'retry' | 'sleep' | 'wait' | 'invoke' | 'stored';
/** How a bar ended; `open` = it goes on, or nothing says how it ended. */
export type BarOutcome = 'open' | 'ok' | 'failed' | 'canceled';

/** A stretch of a lane, or a moment of it. */
export interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  /** null = it goes on at that moment. */
  readonly until: number | null;
  readonly outcome: BarOutcome;
  /** When it ends by itself, of what waits for a time. */
  readonly due?: number;
  readonly error?: string;
}

/** One step, or one of a parallel step. */
export interface Lane {
  /** Unlike that of any other lane of the run. */
  readonly key: string;
  readonly name: string;
  /** The type of the step: `Run`, `Call`, ...; empty where it is not known yet. */
  readonly type: string;
  /** A word of `state-mark.tsx`. */
  readonly state: string;
  /** Messages whose rows tell more of it. */
  readonly messageIds: readonly string[];
  readonly bars: readonly Bar[];
}
