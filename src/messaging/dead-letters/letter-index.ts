/**
 * The letters that are there: key fields by id, oldest first, until they are taken away or too old
 * (messaging.md 10). What messages and what runs leave behind when they fail is kept alike.
 */
import type { FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { markedLetterId } from '../messages/dead-letter-id.js';

/** What every letter is found by. */
export interface PlacedLetter {
  /** Its dlqId. */
  readonly id: string;
  /** When the failure happened, Unix milliseconds. */
  readonly at: number;
  /** Journal offset of the failure: letters are listed in this order. */
  readonly offset: number;
}

/**
 * Part of memory: what changes it goes through the changes of the turn, in the order of offsets.
 * Requests and older events may name a letter without the mark of its shard.
 */
export class LetterIndex<Letter extends PlacedLetter> {
  private readonly letters = new Map<string, Letter>();

  /** A letter older than `retentionMs` counts as gone. */
  constructor(private readonly retentionMs: number) {}

  /** What an index of this name remembers that keeps these letters and the maps of `others`. */
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

  /** Those that are remembered: letters that grow too old leave a little later. */
  get size(): number {
    return this.letters.size;
  }

  /** The letter with this id, if it is there at `at`. */
  find(id: string, at: number): Letter | undefined {
    const letter = this.letters.get(markedLetterId(id));
    return letter === undefined || this.isOver(letter, at) ? undefined : letter;
  }

  /** The letters that are there at `at`, oldest first. */
  all(at: number): Letter[] {
    return [...this.letters.values()].filter((letter) => !this.isOver(letter, at));
  }

  /** Puts a new letter there. */
  add(letter: Letter, changes: TurnChanges): void {
    changes.set(this.letters, letter.id, letter);
  }

  /** Changes a letter; one that is not there stays away. */
  change(id: string, change: (letter: Letter) => Letter, changes: TurnChanges): void {
    const letter = this.letters.get(markedLetterId(id));
    if (letter !== undefined) changes.set(this.letters, letter.id, change(letter));
  }

  /** Journal offsets of the failures whose letters are there at `at`. */
  *references(at: number): Generator<number> {
    for (const letter of this.letters.values()) if (!this.isOver(letter, at)) yield letter.offset;
  }

  /** Removes a letter; nothing happens where it is not there. */
  take(id: string, changes: TurnChanges): void {
    changes.deleteInOrder(this.letters, markedLetterId(id));
  }

  private isOver(letter: PlacedLetter, at: number): boolean {
    return letter.at + this.retentionMs <= at;
  }
}
