/**
 * The storage bugs that systems of this kind have had, as mutants of our code. Each has to be
 * killed by the tests of the simulated disk alone, in seconds: `npm run mutants`.
 */
import { durabilityMutants } from './durability.js';
import { memoryMutants } from './memory.js';
import type { Mutant } from './mutant.js';
import { recoveryMutants } from './recovery.js';
import { rewritingMutants } from './rewriting.js';

export const mutants: readonly Mutant[] = [
  ...durabilityMutants,
  ...recoveryMutants,
  ...rewritingMutants,
  ...memoryMutants,
];
