/** How the newest records that a tail begins with are shared among partitions. Pure. */

/**
 * How many each partition gives, by how many it has: as equal as that allows, and `newest` together
 * or all that there are.
 */
export function newestShares(sizes: readonly number[], newest: number): readonly number[] {
  const shares = sizes.map(() => 0);
  const smallestFirst = sizes
    .map((size, index) => ({ size, index }))
    .sort((one, other) => one.size - other.size);
  let left = newest;
  for (const [given, { size, index }] of smallestFirst.entries()) {
    const share = Math.min(size, Math.floor(left / (sizes.length - given)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
