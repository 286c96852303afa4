/** How much of a log is read at once for an answer that takes so many records, however long. */

/** Records, and bytes as whoever answers counts them. */
export interface ReadAmount {
  readonly records: number;
  readonly bytes: number;
}

/** The first step of a read: as much as most answers are. The store reads ahead as much. */
const firstStepBytes = 128 * 1024;
const stepBytesMax = 1024 * 1024;

/** Bytes to read for what `taken` lacks of `share`, if what comes is as long as what came. */
export function readStep(share: ReadAmount, taken: ReadAmount): number {
  const { records, bytes } = taken;
  const wanted = records === 0 ? firstStepBytes : (bytes / records) * (share.records - records);
  return Math.ceil(Math.min(wanted, stepBytesMax, share.bytes - bytes));
}
