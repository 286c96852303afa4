/** Milliseconds of the machine's monotonic clock: the same in every process. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
