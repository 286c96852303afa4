/** What a case without another side finds out: figures, each beside its goal. */

export interface Figure {
  /** With its unit: `restart to the first call, ms`. */
  readonly name: string;
  readonly value: number;
  /** What it must not pass; null where none was set. */
  readonly goal: Goal | null;
}

export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** What a measurement works with. */
export interface MeasurementTools {
  /** Empty, the measurement's own, and removed afterwards. */
  readonly directory: string;
  /** What can be repeated is, so often, and its median counts. */
  readonly rounds: number;
}

/** Several lines of the table of figures. A measurement that goes wrong in any way rejects. */
export interface Measurement {
  readonly scenario: string;
  readonly name: string;
  /** Whether it takes so long that it is run only when it is asked for by name. */
  readonly isLong: boolean;
  measure(tools: MeasurementTools): Promise<readonly Figure[]>;
}

export function meets({ value, goal }: Figure): boolean {
  if (goal === null) return true;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}
