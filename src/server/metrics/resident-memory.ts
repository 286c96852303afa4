/** How much memory the process holds, as the system says it. */

let last = 0;

/** Bytes; as they were last where no file can be opened: Linux tells them in one. */
export function residentBytes(): number {
  try {
    last = process.memoryUsage.rss();
  } catch {
    // What the process has open is measured beside it, and says why.
  }
  return last;
}
