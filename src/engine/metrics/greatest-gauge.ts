/**
 * A gauge for a kind of things of which there may be many: a scrape names those with the greatest
 * values and sums up the others, so that there are few series however many things there are.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

/** Names that clients choose contain no brackets. */
const othersName = '(other)';

/** How many things are examined in a row before other work gets the event loop. */
const itemsPerTick = 1024;

/** What is exported, and how many things are named. */
export interface GreatestOptions {
  readonly name: string;
  readonly help: string;
  /** The label that names a thing. */
  readonly label: string;
  /** How many things are named; 0 = none. */
  readonly namedMax: number;
}

/** A thing and its value. */
export type Figure = readonly [name: string, value: number];

/** `walk` returns every thing once, in any order. Scrapes during a walk share its result. */
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
  /** Contains no thing whose value is 0. */
  readonly named: readonly Figure[];
  readonly others: number;
}

async function greatestOf(figures: Iterable<Figure>, namedMax: number): Promise<Greatest> {
  let named: Figure[] = [];
  let others = 0;
  let looks = 0;
  for (const figure of figures) {
    looks += 1;
    if (looks % itemsPerTick === 0) await nextTick();
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
