/**
 * How many offsets of each partition are skipped after a restore. Consumers may have seen records
 * there that the backup does not contain, and must not find different records at the same offsets.
 */
export const skippedOffsetsDefault = 1_000_000;
