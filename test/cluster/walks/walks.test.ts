import { seed as firstSeed } from '../../support/seed.js';
import { ownershipMutants } from './ownership-mutants.js';
import { type Invariant, type Walked, walk } from './walk.js';

/** More for longer runs: `npm run walks -- --walks 100000`. */
const walks = 250;

const seeds = Array.from({ length: walks }, (_, index) => firstSeed + index);

describe('random walks of a cluster', () => {
  let walked: Walked[] = [];
  beforeAll(() => {
    walked = seeds.map((seed) => walk(seed));
  });

  it(`break no invariant: ${walks} from seed ${firstSeed}`, () => {
    const broken = walked.filter(({ violations }) => violations.length > 0);
    expect(broken.map(({ seed, violations }) => ({ seed, violations }))).toEqual([]);
  });

  it('go through the situations that they are meant to cover', () => {
    const total = (of: (walk: Walked) => number) => walked.reduce((sum, each) => sum + of(each), 0);
    expect(total(({ takeovers }) => takeovers)).toBeGreaterThan(walks);
    expect(total(({ standDowns }) => standDowns)).toBeGreaterThan(walks / 10);
    expect(total(({ resyncs }) => resyncs)).toBeGreaterThan(walks / 10);
    expect(total(({ answers }) => answers)).toBeGreaterThan(10 * walks);
    expect(total(({ reads }) => reads)).toBeGreaterThan(walks);
  });

  it('stop nodes if the tail of the log was cut off, and never otherwise', () => {
    const cut = walked.filter(({ wasCut }) => wasCut);
    expect(cut.some(({ stops }) => stops > 0)).toBe(true);
    expect(walked.filter(({ stops, wasCut }) => stops > 0 && !wasCut)).toEqual([]);
  });

  it('are the same from the same seed', () => {
    expect(walk(firstSeed)).toEqual(walked[0]);
  });
});

describe('a broken rule is noticed', () => {
  const once: Invariant = 'an answered write is in the final fold once';
  const oneActor: Invariant = 'one node at most acts';
  const needless: Invariant = 'nothing stops without a cause';
  const fresh: Invariant = 'a read shows what was answered before it';

  // Few walks reach the moment in which a new owner must wait, so the search starts at such a seed.
  it.each<[string, Invariant, number?]>([
    ['no stand-down', oneActor],
    ['any acknowledgement is believed', 'all nodes fold the same'],
    ['no chain check', once],
    ['lease longer than silence', oneActor],
    ['folds across a hole', needless],
    ['part of another owner', needless],
    ['answers before the acknowledgement', fresh],
    ['no wait after a claim', oneActor, 440],
    ['seeds are not kept', once],
    ['any claim takes the log', oneActor],
    ['reads show what the standby lacks', once],
  ])('%s: %s', (name, invariant, from = 0) => {
    const noticed = (seed: number) =>
      walk(seed, ownershipMutants[name]).violations.some((each) => each.invariant === invariant);
    const many = Array.from({ length: 3000 }, (_, index) => firstSeed + from + index);
    expect(many.find(noticed)).toBeDefined();
  });

  it('and the table has no other rule', () => {
    expect(Object.keys(ownershipMutants)).toHaveLength(11);
  });
});
