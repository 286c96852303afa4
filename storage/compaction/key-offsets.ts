/** Maps each key to the last offset where it was seen: holds more keys than a Map of strings. */
import { hash } from 'node:crypto';
import type { Offset } from '../offsets/offset.js';

const slotsAtFirst = 1024;

/**
 * Open addressing with 24 bytes per slot: 16 of the key's SHA-256 and the offset. With 128 bits a
 * collision is so unlikely (2^-88 at a million keys) that the hash stands for its key, even if
 * clients choose keys to collide. Confusing two keys would lose a record.
 */
export class KeyOffsets {
  private hashes = new Uint32Array(slotsAtFirst * 4);
  /** The offset + 1; 0 = the slot is free. */
  private ends = new Float64Array(slotsAtFirst);
  private count = 0;

  constructor(private readonly keysMax: number) {}

  /** Notes the last offset of a key; false if it would be one key too many. */
  set(key: Buffer, offset: Offset): boolean {
    const words = wordsOf(key);
    let slot = this.slotOf(words);
    if (this.ends[slot] === 0) {
      if (this.count >= this.keysMax) return false;
      if ((this.count + 1) * 4 > this.ends.length * 3) {
        this.grow();
        slot = this.slotOf(words);
      }
      this.count += 1;
      this.hashes.set(words, slot * 4);
    }
    this.ends[slot] = offset + 1;
    return true;
  }

  /** The last offset of the key. */
  get(key: Buffer): Offset | undefined {
    const end = this.ends[this.slotOf(wordsOf(key))] ?? 0;
    return end === 0 ? undefined : end - 1;
  }

  /** The slot with these words, or the free slot where they belong. */
  private slotOf(words: Uint32Array): number {
    const { hashes, ends } = this;
    const mask = ends.length - 1;
    for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      if (ends[slot] === 0) return slot;
      const at = slot * 4;
      if (
        hashes[at] === words[0] &&
        hashes[at + 1] === words[1] &&
        hashes[at + 2] === words[2] &&
        hashes[at + 3] === words[3]
      ) {
        return slot;
      }
    }
  }

  private grow(): void {
    const { hashes, ends } = this;
    this.hashes = new Uint32Array(hashes.length * 2);
    this.ends = new Float64Array(ends.length * 2);
    for (let slot = 0; slot < ends.length; slot += 1) {
      const end = ends[slot] ?? 0;
      if (end === 0) continue;
      const words = hashes.subarray(slot * 4, slot * 4 + 4);
      const moved = this.slotOf(words);
      this.hashes.set(words, moved * 4);
      this.ends[moved] = end;
    }
  }
}

function wordsOf(key: Buffer): Uint32Array {
  // The digest as a string: twice as fast as a Buffer (measured).
  const digest = hash('sha256', key, 'binary');
  const words = new Uint32Array(4);
  for (let index = 0; index < 16; index += 1) {
    const word = index >> 2;
    words[word] = ((words[word] ?? 0) << 8) | digest.charCodeAt(index);
  }
  return words;
}
