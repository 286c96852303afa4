/** Errors that make a node of a cluster stop instead of continuing (ADR 63). */

/**
 * The shared log no longer holds entries that it acknowledged or returned before: its tail was cut
 * off or replaced, or the entries read before came from another log. No rule above the log can
 * repair that, so every node that notices it stops.
 */
export class AcknowledgedEntriesMissing extends Error {
  override readonly name = 'AcknowledgedEntriesMissing';
  /** The exit code used for damaged local files (sysexits.h: EX_DATAERR). */
  readonly exitCode = 65;

  constructor(
    /** The first place at which the log is known to have changed. */
    readonly place: number,
    reason: string,
  ) {
    const missing =
      'acknowledged entries are missing in the shared log, or another was read before';
    super(`${missing}: place ${place}: ${reason}`);
  }
}

/**
 * The system that stores the shared log cannot be reached, or the client for it is not installed.
 */
export class SharedLogUnavailable extends Error {
  override readonly name = 'SharedLogUnavailable';
}
