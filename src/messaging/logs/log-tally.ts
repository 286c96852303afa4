/** Rows of the logs counted while a walk passes them, within a bound of memory. */
import type { Clock } from '../../engine/clock.js';
import type { DamagedData } from '../../engine/journal.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { formatCursor, type LogCursor } from './log-cursor.js';
import type { WeighedRow } from './log-page.js';
import type { WalkTarget } from './log-walk.js';
import { type WalkBudget, WalkCost } from './walk-cost.js';

/** A row as it is counted. */
export interface CountedRow {
  /** Unix milliseconds. */
  readonly time: number;
  /** It counts once for each. */
  readonly keys: readonly string[];
}

/** How many rows have a key, in one stretch of time where these are counted apart. */
export interface LogCount {
  /** When the stretch begins, Unix milliseconds. */
  readonly time?: number;
  readonly key: string;
  readonly count: number;
}

/** What was counted; no cursor = everything was. */
export interface LogCounts {
  readonly counts: readonly LogCount[];
  readonly cursor: string | null;
  /** The time at which the search stopped, Unix milliseconds. */
  readonly searchedTo: number | null;
  /** What could not be counted, because it is damaged. */
  readonly damages: readonly DamagedData[];
}

/** The most counts of one answer, and the most characters of their keys together. */
const countsMax = 10_000;
const charactersMax = 1024 * 1024;

/** Made for one request, as a page is. */
export class LogTally implements WalkTarget<CountedRow> {
  readonly cost: WalkCost;
  readonly damage = new DamageNotes();
  /** By the beginning of the stretch, then by key. */
  private readonly stretches = new Map<number, Map<string, number>>();
  private size = 0;
  private characters = 0;
  private last: LogCursor | null = null;
  private lastTime: number | null = null;
  private cursor: LogCursor | null = null;

  /** `bucketMs`: null = all of the time is one stretch. */
  constructor(
    private readonly bucketMs: number | null,
    clock: Clock,
    budget: WalkBudget,
  ) {
    this.cost = new WalkCost(clock, budget);
  }

  /** Counts a row, wholly or not at all; the one too many ends the count. */
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

  /** Ends the count where the search stopped, at what happened at `time`, Unix milliseconds. */
  interrupt(at: LogCursor, time: number): void {
    this.cursor = at;
    this.lastTime = time;
  }

  /** A count takes rows without end. */
  get rowsLeft(): number {
    return Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.cursor !== null;
  }

  /** The oldest stretch first, and in each what there is most of. */
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
