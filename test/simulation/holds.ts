/** A rule that is asked ten thousand times a day: Jest's own comparison is slow. */
import { isDeepStrictEqual } from 'node:util';

/** Fails with the difference between `found` and `expected`, and the name of what it is about. */
export function holds(about: unknown, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect([about, found]).toEqual([about, expected]);
}
