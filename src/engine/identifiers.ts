/** The only source of randomness: seeds of turns, the names made from seeds, secrets. */
import { randomBytes as nodeRandomBytes } from 'node:crypto';
import type { TurnNames } from './decider.js';
import type { RequestSeed } from './principal/request-seed.js';

/** Where random bytes come from; the simulation passes a seeded one. */
export interface Identifiers {
  /** `length` bytes that cannot be guessed. */
  randomBytes(length: number): Buffer;
  /**
   * A seed that no other turn has: 50 bits of time, the shard, and 55 random bits in 23 characters,
   * URL-safe and sorted by time. A turn names what it creates by its seed and an index, so that
   * `react` stays pure.
   */
  turnSeed(now: number): string;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLetters = 10;
/** Every id names its shard, so that several shards can share the work one day without new ids. */
export const shardLetters = '00';
const randomLetters = 11;

/** Random bits are drawn from the kernel in blocks: one call for 512 seeds. */
const blockBytes = 4096;

/** Identifiers over any source of random bytes. */
export function identifiersFrom(randomBytes: (length: number) => Buffer): Identifiers {
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  // Decoded from bytes, a seed is one flat string; concatenated letters are copied at each look-up.
  const seed = Buffer.alloc(timeLetters + shardLetters.length + randomLetters);
  seed.write(shardLetters, timeLetters, 'latin1');
  let timeInSeed = -1;
  const writeTime = (now: number): void => {
    timeInSeed = now;
    for (let rest = now, index = timeLetters - 1; index >= 0; index -= 1) {
      seed[index] = alphabet.charCodeAt(rest % 32);
      rest = Math.floor(rest / 32);
    }
  };
  const nextByte = (): number => {
    if (used === block.length) {
      block = randomBytes(blockBytes);
      used = 0;
    }
    return block[used++] ?? 0;
  };
  return {
    randomBytes,
    turnSeed(now) {
      if (now !== timeInSeed) writeTime(now);
      for (let index = seed.length - randomLetters; index < seed.length; index += 1) {
        seed[index] = alphabet.charCodeAt(nextByte() & 31);
      }
      return seed.toString('latin1');
    },
  };
}

/** A secret that cannot be guessed: 192 random bits as 32 characters of base64url. */
export function newSecret(identifiers: Identifiers): string {
  return identifiers.randomBytes(24).toString('base64url');
}

/** Randomness of the operating system. */
export const systemIdentifiers: Identifiers = identifiersFrom((length) => nodeRandomBytes(length));

const noBytes: Buffer = Buffer.alloc(0);

/** Endings of the names of most turns: formatting a number costs as much as the rest of a name. */
const endings = Array.from({ length: 36 ** 2 }, (_, index) => index.toString(36));

/** Letters of the number that a name ends with, at most. */
const endingMax = 11;

/** Names made from one seed; a turn that is decided again starts again at the first name. */
export class SeededNames implements TurnNames {
  private seed = '';
  private index = 0;
  /** The beginning of names with this prefix, and room for the ending. */
  private bytes = noBytes;
  private prefix = '';

  constructor(private readonly makeSeed: () => string) {}

  next(prefix: string): string {
    this.seed ||= this.makeSeed();
    this.index += 1;
    const ending = endings[this.index] ?? this.index.toString(36);
    // Most turns make one name.
    return this.index === 1 ? `${prefix}_${this.seed}${ending}` : this.written(prefix, ending);
  }

  restart(): void {
    this.index = 0;
  }

  /** Decoded from bytes, a name is one flat string: concatenated strings are slow to read. */
  private written(prefix: string, ending: string): string {
    if (prefix !== this.prefix) {
      this.prefix = prefix;
      this.bytes = Buffer.from(`${prefix}_${this.seed}${' '.repeat(endingMax)}`, 'latin1');
    }
    const { bytes } = this;
    const start = bytes.length - endingMax;
    for (let index = 0; index < ending.length; index += 1) {
      bytes[start + index] = ending.charCodeAt(index);
    }
    return bytes.toString('latin1', 0, start + ending.length);
  }
}

/**
 * Names for what a command given at `at` creates, if they are needed before its turn; made from the
 * `seed` of its request, if it has one.
 */
export function newNames(
  identifiers: Identifiers,
  at: number,
  seed: RequestSeed | null = null,
): TurnNames {
  const makeSeed = () => identifiers.turnSeed(at);
  return new SeededNames(seed?.before(makeSeed) ?? makeSeed);
}
