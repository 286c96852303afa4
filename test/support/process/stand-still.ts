/** Blocks this process for `ms`, as a pause of its machine does: nothing is read or rings. */
export function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
