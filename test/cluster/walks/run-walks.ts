/**
 * `npm run walks -- [--walks 100000] [--seed 1] [--mutant name]`: random walks of a cluster over a
 * simulated log. Exit code 1 if a walk without a mutant breaks an invariant.
 */
import { parseArgs } from 'node:util';
import { ownershipMutants } from './ownership-mutants.js';
import { sound, walk } from './walk.js';

const { values } = parseArgs({
  options: {
    walks: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    mutant: { type: 'string' },
    shown: { type: 'string', default: '5' },
  },
});
const first = Number(values.seed);
const count = Number(values.walks);
const wanted = values.mutant === 'all' ? Object.keys(ownershipMutants) : [values.mutant];
for (const name of wanted) {
  const wiring = name === undefined ? sound : ownershipMutants[name];
  if (wiring === undefined) throw new Error(`mutants: ${Object.keys(ownershipMutants).join(', ')}`);
  const totals: Record<string, number> = {};
  const broken = new Map<string, number>();
  let shown = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const walked = walk(seed, wiring);
    for (const [key, value] of Object.entries(walked)) {
      if (key !== 'seed' && typeof value !== 'object') totals[key] = (totals[key] ?? 0) + +value;
    }
    for (const invariant of new Set(walked.violations.map((violation) => violation.invariant))) {
      broken.set(invariant, (broken.get(invariant) ?? 0) + 1);
    }
    if (walked.violations.length > 0 && shown < Number(values.shown) && name === undefined) {
      shown += 1;
      console.log(`seed ${seed}:`, walked.violations);
    }
  }
  console.log(`${name ?? 'the rules as they are'}: ${count} walks from seed ${first}`, totals);
  console.log('  walks that broke an invariant:', Object.fromEntries(broken));
  if (name === undefined && broken.size > 0) process.exitCode = 1;
}
