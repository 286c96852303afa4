/** How much of what the tests of the storage enumerate is tried. */

/**
 * 1 tries all that is distinguished, and mutants run with it; `npm test` takes samples.
 * `STEPWELL_TEST_ROUNDS=10` has ten times as many seeds, and damage in every bit.
 */
export const rounds = Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 0.1);

/** The step to the next of what is counted through: `sampled` of `npm test`. */
export const stride = (sampled: number): number => (rounds < 1 ? sampled : 1);

/** The call that fails after the `nth`: the first ones differ most, and have all their turn. */
export const nextCall = (nth: number): number => nth + (nth < 10 ? 1 : stride(5));

/** Of what is tried at each turn, every other in `npm test`: each has every other turn. */
export function alternately<Item>(items: readonly Item[], turn: number): readonly Item[] {
  return items.filter((_, place) => (place + turn) % stride(2) === 0);
}
