/** Counts rows of the logs during a walk, within a bound of memory. */
import type { Clock } from '../../engine/clock.js';
import type { DamagedData } from '../../engine/journal.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { formatCursor, type LogCursor } from './log-cursor.js';
import type { WeighedRow } from './log-page.js';
import type { WalkTarget } from './log-walk.js';
import { type WalkBudget, WalkCost } from './walk-cost.js';

/** A row to be counted. */
export interface CountedRow {
  /** Unix milliseconds. */
  readonly time: number;
  /** The row counts once for each key. */
  readonly keys: readonly string[];
}

/** How many rows have a key, within one stretch of time if stretches are counted separately. */
export interface LogCount {
  /** When the stretch begins, Unix milliseconds. */
  readonly time?: number;
  readonly key: string;
  readonly count: number;
}

/** The counts; a null cursor = everything was counted. */
export interface LogCounts {
  readonly counts: readonly LogCount[];
  readonly cursor: string | null;
  /** The time at which the search stopped, Unix milliseconds. */
  readonly searchedTo: number | null;
  /** Events that could not be counted because they are damaged. */
  readonly damages: readonly DamagedData[];
}

/** The most counts of one answer, and the most characters of their keys together. */
const countsMax = 10_000;
const charactersMax = 1024 * 1024;

/** Created for one request, like a page. */
export class LogTally implements WalkTarget<CountedRow> {
  readonly cost: WalkCost;
  readonly damage = new DamageNotes();
  /** Counts by the beginning of the stretch, then by key. */
  private readonly stretches = new Map<number, Map<string, number>>();
  private size = 0;
  private characters = 0;
  private last: LogCursor | null = null;
  private lastTime: number | null = null;
  private cursor: LogCursor | null = null;

  /** `bucketMs`: the length of a stretch; null = the whole time is one stretch. */
  constructor(
    private readonly bucketMs: number | null,
    clock: Clock,
    budget: WalkBudget,
  ) {
    this.cost = new WalkCost(clock, budget);
  }

  /** Counts a row, with all of its keys or not at all; a row beyond the limits ends the count. */
  add({ row }: WeighedRow<CountedRow>, place: LogCursor): void {
    const { time, keys } = row;
    const stretch = this.stretchOf(time);
    const added = [...new Set(keys)].filter((key) => !stretch.has(key));
    const characters = added.reduce((sum, key) => sum + key.length, this.characters);
    const isTooMuch = this.size + added.length > countsMax || characters > charactersMax;
    if (isTooMuch && this.last !== null) {
      this.interrupt(this.last, this.lastTime ?? time);
      return;
    }
    this.size += added.length;
    this.characters = characters;
    for (const key of new Set(keys)) stretch.set(key, (stretch.get(key) ?? 0) + 1);
    this.last = place;
    this.lastTime = time;
  }

  /** Ends the count where the search stopped, at an event of the time `time`, Unix milliseconds. */
  interrupt(at: LogCursor, time: number): void {
    this.cursor = at;
    this.lastTime = time;
  }

  /** A count takes any number of rows. */
  get rowsLeft(): number {
    return Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.cursor !== null;
  }

  /** The counts: the oldest stretch first, and within a stretch the largest count first. */
  get content(): LogCounts {
    const counts: LogCount[] = [];
    for (const [time, stretch] of [...this.stretches].sort(([one], [other]) => one - other)) {
      const sorted = [...stretch].sort(([, one], [, other]) => other - one);
      for (const [key, count] of sorted) {
        counts.push(this.bucketMs === null ? { key, count } : { time, key, count });
      }
    }
    const counted = { counts, damages: this.damage.all };
    if (this.cursor === null) return { ...counted, cursor: null, searchedTo: null };
    return { ...counted, cursor: formatCursor(this.cursor), searchedTo: this.lastTime };
  }

  private stretchOf(time: number): Map<string, number> {
    const begin = this.bucketMs === null ? 0 : Math.floor(time / this.bucketMs) * this.bucketMs;
    const known = this.stretches.get(begin);
    if (known !== undefined) return known;
    const stretch = new Map<string, number>();
    this.stretches.set(begin, stretch);
    return stretch;
  }
}
