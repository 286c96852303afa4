/** What makes a node of a cluster stop rather than go on (ADR 63). */

/**
 * The shared log does not hold what it has acknowledged or shown before: its tail was cut off or
 * replaced, or what was read before was another log. No rule above the log can repair that, so
 * every node that notices stops.
 */
export class AcknowledgedEntriesMissing extends Error {
  override readonly name = 'AcknowledgedEntriesMissing';
  /** As damage of local files (sysexits.h: EX_DATAERR). */
  readonly exitCode = 65;

  constructor(
    /** The first place at which the log is known to differ from what it was. */
    readonly place: number,
    reason: string,
  ) {
    const missing =
      'acknowledged entries are missing in the shared log, or another was read before';
    super(`${missing}: place ${place}: ${reason}`);
  }
}

/** What holds the shared log cannot be reached, or the client for it is not installed. */
export class SharedLogUnavailable extends Error {
  override readonly name = 'SharedLogUnavailable';
}
