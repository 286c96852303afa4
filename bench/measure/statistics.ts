/** What many noisy rounds say: medians and their spread, never a mean. */

/** The value that a share of `sorted` lies at or below; NaN where there is nothing. */
export function percentile(sorted: readonly number[], share: number): number {
  const index = Math.max(0, Math.ceil(sorted.length * share) - 1);
  return sorted[index] ?? Number.NaN;
}

export function ascending(values: readonly number[]): number[] {
  return [...values].sort((one, two) => one - two);
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}

/** A median with the smallest and the largest value it comes from. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function spread(values: readonly number[]): Spread {
  return {
    median: median(values),
    lowest: Math.min(...values),
    highest: Math.max(...values),
  };
}
