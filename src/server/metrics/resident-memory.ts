/** How much memory the process holds, as the system reports it. */

let last = 0;

/** In bytes; the last known value if no file can be opened, as Linux reports it in a file. */
export function residentBytes(): number {
  try {
    last = process.memoryUsage.rss();
  } catch {
    // The metric of open files says why this fails.
  }
  return last;
}
