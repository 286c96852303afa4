/** Rules of ownership, broken one at a time; walks must detect each break. */
import { ownershipRules } from '../../../src/cluster/rules.js';
import type { Wiring } from './simulated-node.js';
import { sound } from './walk.js';

const breaking = (rules: Partial<Wiring['rules']>): Wiring => ({
  ...sound,
  rules: { ...ownershipRules, ...rules },
});

/** The mutants by name, with what they change. */
export const ownershipMutants: Readonly<Record<string, Wiring>> = {
  'no stand-down': breaking({ standsDown: () => false }),
  'any acknowledgement is believed': breaking({ provesByItself: () => true }),
  'no chain check': breaking({ batchFollows: (head, batch) => head.epoch === batch.epoch }),
  'lease longer than silence': breaking({
    isProof: (ageMs, { silenceMs }) => ageMs < silenceMs + 2000,
  }),
  'folds across a hole': breaking({ foldsAt: () => true }),
  'part of another owner': breaking({
    partContinues: (_head, unfinished, part) =>
      unfinished.sequence === part.sequence && part.part === unfinished.taken,
  }),
  'answers before the acknowledgement': { ...sound, answersEarly: true },
  'no wait after a claim': breaking({ servesFrom: () => Number.NEGATIVE_INFINITY }),
  'seeds are not kept': { ...sound, keepsSeeds: false },
  'reads show what the standby lacks': { ...sound, provesReads: false },
  'any claim takes the log': breaking({ claimTakes: () => true }),
};
