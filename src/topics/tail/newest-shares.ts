/** Divides the newest records that a tail starts with among the partitions. Pure. */

/**
 * The number of records from each partition, given their sizes: as equal as possible, and in total
 * `newest` or all that exist.
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
