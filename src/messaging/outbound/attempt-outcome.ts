/** One attempt as it goes out and as it ends. */

/** A request, ready to be sent. */
export interface OutgoingAttempt {
  /** Absolute http or https URL, as it is signed. */
  readonly url: string;
  readonly method: string;
  /** Flat name, value pairs, without Host, Connection and Content-Length. */
  readonly headers: readonly string[];
  /** Not sent with GET and HEAD. */
  readonly body: Buffer | null;
  /** From now to the last byte of the response, connecting included. */
  readonly timeoutMs: number;
  /** Of the response body, so much is kept. */
  readonly captureBytes: number;
}

/** What came of it. Every failure is an outcome; nothing is thrown. */
export interface AttemptOutcome {
  /** 0 = there was no complete response; `error` says why. */
  readonly status: number;
  /** Flat name, value pairs as received (bytes as Latin-1); empty where status is 0. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** The response body was longer than `body`. */
  readonly bodyTruncated: boolean;
  readonly error: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Ended by us, because the server stops: such an attempt does not count. */
  readonly cut: boolean;
}
