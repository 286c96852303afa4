/** One attempt, as it is sent and as it ends. */

/** A request, ready to be sent. */
export interface OutgoingAttempt {
  /** Absolute http or https URL, as it is signed. */
  readonly url: string;
  readonly method: string;
  /** Names and values in turn, without Host, Connection and Content-Length. */
  readonly headers: readonly string[];
  /** Not sent with GET and HEAD. */
  readonly body: Buffer | null;
  /** Time from now to the last byte of the response, including connecting. */
  readonly timeoutMs: number;
  /** How many bytes of the response body are kept. */
  readonly captureBytes: number;
}

/** How an attempt ended. Every failure is an outcome; nothing is thrown. */
export interface AttemptOutcome {
  /** 0 = there was no complete response, for the reason in `error`. */
  readonly status: number;
  /** Names and values in turn, as received (bytes as Latin-1); empty if status is 0. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** The response body was longer than `body`. */
  readonly bodyTruncated: boolean;
  readonly error: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /**
   * Gives back the room that a long `body` takes in memory; to be called once it is stored. Absent
   * = the body is not long.
   */
  readonly release?: (() => void) | undefined;
  /** The server cut the attempt off because it is stopping: such an attempt does not count. */
  readonly cut: boolean;
}
