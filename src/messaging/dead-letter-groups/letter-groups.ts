/** Groups dead letters by status, destination and class of the error (messaging.md 10). */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { damagedPlaces } from '../../http/bytes/listing.js';
import { type LetterFailure, LetterFailures } from '../dead-letter-errors/letter-failures.js';
import { DeadLetters } from '../dead-letters/dead-letter.entity.js';
import { DeadLetterMatching } from '../dead-letters/dead-letter-matching.js';
import type { DeadLetter } from '../dead-letters/dead-letters.projection.js';
import { cursorAfter, lettersPerTick } from '../dead-letters/letter-search.js';
import type { GroupFilters } from './letter-groups.request.js';

/** A group of dead letters. Times are those of failures, Unix milliseconds. */
export interface LetterGroup extends LetterFailure {
  readonly count: number;
  readonly newestAt: number;
  readonly oldestAt: number;
  /** The id of the newest letter. */
  readonly dlqId: string;
}

/** The groups of the letters that were examined, newest letters first. */
export interface LetterGroups {
  readonly groups: readonly LetterGroup[];
  /** How many letters belong to groups beyond the number that is listed. */
  readonly others: number;
  /** Letters older than this were not examined; present with the `cursor` that continues there. */
  readonly searchedTo?: number;
  readonly cursor?: string;
  /** Letters that could not be counted because they are damaged; absent = none. */
  readonly damaged?: readonly { readonly error: string }[];
}

const budget = { letters: 20_000, milliseconds: 1000 };
const groupsMax = 500;

/** Counts the letters of each kind of failure. */
@Injectable()
export class DeadLetterGroups {
  constructor(
    private readonly letters: DeadLetters,
    private readonly matching: DeadLetterMatching,
    private readonly failures: LetterFailures,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * The largest groups come first. If examining all letters would cost too much, only the newest
   * are counted.
   */
  async groups(filters: GroupFilters): Promise<LetterGroups> {
    const letters = await this.letters.shown(() => this.letters.letters.all(this.clock.now()));
    const begun = this.clock.monotonic();
    const before = filters.cursor?.offset ?? Number.POSITIVE_INFINITY;
    const groups = new Map<string, LetterGroup>();
    const damage = new DamageNotes();
    let looks = 0;
    let others = 0;
    for (const letter of letters.reverse()) {
      if (letter.offset >= before) continue;
      const failure = await this.selectedFailure(letter, filters, damage);
      if (failure !== null && !addTo(groups, letter, failure)) others += 1;
      looks += 1;
      // What is remembered is found without waiting, so others would not get their turn.
      if (looks % lettersPerTick === 0) await nextTick();
      const isSpent = this.clock.monotonic() - begun >= budget.milliseconds;
      if (!isSpent && looks < budget.letters) continue;
      const cursor = cursorAfter(letter, null);
      const counted = { groups: sorted(groups), others, ...damagedIn(damage) };
      return { ...counted, searchedTo: letter.at, cursor };
    }
    return { groups: sorted(groups), others, ...damagedIn(damage) };
  }

  /** How a letter failed; null = it does not match, or cannot be read, which is noted. */
  private async selectedFailure(
    letter: DeadLetter,
    filters: GroupFilters,
    damage: DamageNotes,
  ): Promise<LetterFailure | null> {
    try {
      const isSelected = await this.matching.matches(letter, { ...filters, dlqIds: null });
      return isSelected ? await this.failures.of(letter) : null;
    } catch (error) {
      damage.note(error);
      return null;
    }
  }
}

function damagedIn({ all }: DamageNotes): Pick<LetterGroups, 'damaged'> {
  return all.length === 0 ? {} : { damaged: damagedPlaces(all) };
}

/** Adds a letter to its group; returns whether there was room for the group. */
function addTo(
  groups: Map<string, LetterGroup>,
  letter: DeadLetter,
  failure: LetterFailure,
): boolean {
  const name = JSON.stringify([failure.responseStatus, failure.origin, failure.error]);
  const known = groups.get(name);
  if (known === undefined && groups.size >= groupsMax) return false;
  const { at, id: dlqId } = letter;
  const first = { ...failure, count: 1, newestAt: at, oldestAt: at, dlqId };
  const grown = known && { ...known, count: known.count + 1, oldestAt: at };
  groups.set(name, grown ?? first);
  return true;
}

function sorted(groups: ReadonlyMap<string, LetterGroup>): readonly LetterGroup[] {
  return [...groups.values()].sort((one, other) => other.count - one.count);
}
