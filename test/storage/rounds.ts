/** How many of the enumerated cases the storage tests try. */

/**
 * 1 tries all distinct cases, and mutants run with it; `npm test` takes samples.
 * `STEPWELL_TEST_ROUNDS=10` has ten times as many seeds, and damage in every bit.
 */
export const rounds = Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 0.1);

/** The step through enumerated cases: `sampled` in `npm test`. */
export const stride = (sampled: number): number => (rounds < 1 ? sampled : 1);

/** The call to fail after the `nth`: all of the first ones, which differ most, then samples. */
export const nextCall = (nth: number): number => nth + (nth < 10 ? 1 : stride(5));

/** In `npm test` only every other item, and the others at the next turn. */
export function alternately<Item>(items: readonly Item[], turn: number): readonly Item[] {
  return items.filter((_, place) => (place + turn) % stride(2) === 0);
}
