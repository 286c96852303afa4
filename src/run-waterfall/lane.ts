/** The data of a run's lanes, and the rows that they are made from. All times are in Unix ms. */

/** The fields of a row that are used. Rows are in the order of the journal, not of their times. */
export interface RunRow {
  readonly time: number;
  readonly state: string;
  readonly stepInfo?: RowStep;
  readonly nextDeliveryTime?: number;
  readonly error?: string;
  readonly responseHeaders?: Readonly<Record<string, readonly string[]>>;
  /** For an attempt that has ended: the steps that the endpoint ran in it. */
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
 * `queued`: until it is delivered; `retry`: until its next attempt; `stored`: the moment when the
 * result of the step was in the journal.
 */
export type BarKind = 'attempt' | 'queued' | 'retry' | 'sleep' | 'wait' | 'invoke' | 'stored';
/** How a bar ended; `open`: it has not ended, or how it ended is unknown. */
export type BarOutcome = 'open' | 'ok' | 'failed' | 'canceled';

/** A period of a lane, or a moment in it. */
export interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  /** null if it has not ended at the moment shown. */
  readonly until: number | null;
  readonly outcome: BarOutcome;
  /** When it ends by itself, if it waits for a time. */
  readonly due?: number;
  readonly error?: string;
}

/** One step, or one branch of a parallel step. */
export interface Lane {
  /** Unique among the lanes of the run. */
  readonly key: string;
  readonly name: string;
  /** The type of the step: `Run`, `Call`, ...; empty if it is not known yet. */
  readonly type: string;
  /** A state that `state-mark.tsx` can show. */
  readonly state: string;
  /** Messages whose rows have more details. */
  readonly messageIds: readonly string[];
  readonly bars: readonly Bar[];
}
