/**
 * A figure of each thing of a kind, of which there may be many: a scrape names the greatest of
 * them and adds the others up, so that it has a few series however many things there are.
 */
import { Gauge, type Registry } from 'prom-client';

/** No name of a client has brackets. */
const othersName = '(other)';

/** Things that are looked at in a row before others get the event loop. */
const looksPerTick = 1024;

/** What is exported, and of how many things by name. */
export interface GreatestOptions {
  readonly name: string;
  readonly help: string;
  /** The label that names a thing. */
  readonly label: string;
  /** So many are named; 0 = none is. */
  readonly namedMax: number;
}

/** A thing and its figure. */
export type Figure = readonly [name: string, value: number];

/**
 * `walk` gives every thing once, in any order. Scrapes that come while one is under way share its
 * walk.
 */
export function greatestGauge(
  registry: Registry,
  { name, help, label, namedMax }: GreatestOptions,
  walk: () => Iterable<Figure>,
): void {
  let underWay: Promise<Greatest> | null = null;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      underWay ??= greatestOf(walk(), namedMax).finally(() => {
        underWay = null;
      });
      const { named, others } = await underWay;
      this.reset();
      for (const [thing, value] of named) this.set({ [label]: thing }, value);
      this.set({ [label]: othersName }, others);
    },
  });
}

interface Greatest {
  /** None whose figure is 0. */
  readonly named: readonly Figure[];
  readonly others: number;
}

async function greatestOf(figures: Iterable<Figure>, namedMax: number): Promise<Greatest> {
  let named: Figure[] = [];
  let others = 0;
  let looks = 0;
  for (const figure of figures) {
    looks += 1;
    if (looks % looksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
    const [, value] = figure;
    const least = named[named.length - 1];
    if (value <= 0) continue;
    if (named.length >= namedMax && (least === undefined || value <= least[1])) {
      others += value;
      continue;
    }
    named.push(figure);
    named.sort((one, other) => other[1] - one[1]);
    for (const [, left] of named.slice(namedMax)) others += left;
    named = named.slice(0, namedMax);
  }
  return { named, others };
}
