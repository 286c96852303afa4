/**
 * Offsets of each partition that are left out behind what is restored. Consumers may have seen
 * records there that the backup does not hold: none of them is to find another record in its place.
 */
export const skippedOffsetsDefault = 1_000_000;
