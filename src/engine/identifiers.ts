/** The only source of randomness: seeds of turns, generated names, secrets. */
import { randomBytes as nodeRandomBytes } from 'node:crypto';

/** Where random bytes come from; the simulation passes a seeded one. */
export interface Identifiers {
  /** `length` bytes nobody can guess. */
  randomBytes(length: number): Buffer;
  /**
   * A name that no other turn has: 50 bits of time and 65 random bits in 23 characters, URL-safe
   * and sorted by time. What a turn creates is named by its seed and an index, so that `react`
   * stays pure.
   */
  turnSeed(now: number): string;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random bits are drawn from the kernel in blocks: one call for 512 seeds. */
const blockBytes = 4096;

/** Identifiers over any source of random bytes. */
export function identifiersFrom(randomBytes: (length: number) => Buffer): Identifiers {
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
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
      let seed = '';
      for (let rest = now, index = 0; index < 10; index += 1) {
        seed = alphabet.charAt(rest % 32) + seed;
        rest = Math.floor(rest / 32);
      }
      for (let index = 0; index < 13; index += 1) seed += alphabet.charAt(nextByte() & 31);
      return seed;
    },
  };
}

/** Randomness of the operating system. */
export const systemIdentifiers: Identifiers = identifiersFrom((length) => nodeRandomBytes(length));
