/**
 * Where the random tests begin. The gate has to say the same of the same tree, so it is always the
 * same number here; `STEPWELL_TEST_SEED=random` tries cases that were never tried, and what it
 * finds is found again with the number that the failure names.
 */
const chosen = process.env['STEPWELL_TEST_SEED'] ?? '20261121';

/** A whole number below 2^31. */
export const seed = chosen === 'random' ? Date.now() % 1_000_000_000 : Number(chosen);
