/**
 * The existing letters: key fields by id, oldest first, until they are removed or too old
 * (messaging.md 10). The letters of failed messages and of failed runs are kept in the same way.
 */
import type { FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { markedLetterId } from '../messages/dead-letter-id.js';

/** The fields by which every letter is found. */
export interface PlacedLetter {
  /** The dlqId of the letter. */
  readonly id: string;
  /** When the failure happened, Unix milliseconds. */
  readonly at: number;
  /** Journal offset of the failure: letters are listed in this order. */
  readonly offset: number;
}

/**
 * A part of memory: all changes go through those of the turn, in the order of offsets. Requests and
 * older events may name a letter without its shard mark.
 */
export class LetterIndex<Letter extends PlacedLetter> {
  private readonly letters = new Map<string, Letter>();

  /** A letter older than `retentionMs` counts as removed. */
  constructor(private readonly retentionMs: number) {}

  /** The memory of an index of this name, which keeps these letters and the maps of `others`. */
  memory(name: string, others: FoldMemory['maps'] = {}): FoldMemory {
    const maps = { letters: this.letters, ...others };
    const isOver = (letter: Letter, at: number) => this.isOver(letter, at);
    return {
      name,
      maps,
      inOrder: [this.letters],
      expiring: [{ map: this.letters, isOver }],
      settings: [this.retentionMs],
    };
  }

  /** How many letters are in memory; expired letters leave it a little later. */
  get size(): number {
    return this.letters.size;
  }

  /** The letter with this id, if it exists at `at`. */
  find(id: string, at: number): Letter | undefined {
    const letter = this.letters.get(markedLetterId(id));
    return letter === undefined || this.isOver(letter, at) ? undefined : letter;
  }

  /** The letters that exist at `at`, oldest first. */
  all(at: number): Letter[] {
    return [...this.letters.values()].filter((letter) => !this.isOver(letter, at));
  }

  /** Adds a new letter. */
  add(letter: Letter, changes: TurnChanges): void {
    changes.set(this.letters, letter.id, letter);
  }

  /** Changes a letter, if it exists. */
  change(id: string, change: (letter: Letter) => Letter, changes: TurnChanges): void {
    const letter = this.letters.get(markedLetterId(id));
    if (letter !== undefined) changes.set(this.letters, letter.id, change(letter));
  }

  /** Journal offsets of the failures whose letters exist at `at`. */
  *references(at: number): Generator<number> {
    for (const letter of this.letters.values()) if (!this.isOver(letter, at)) yield letter.offset;
  }

  /** Removes a letter; does nothing if it does not exist. */
  take(id: string, changes: TurnChanges): void {
    changes.deleteInOrder(this.letters, markedLetterId(id));
  }

  private isOver(letter: PlacedLetter, at: number): boolean {
    return letter.at + this.retentionMs <= at;
  }
}
