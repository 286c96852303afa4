/**
 * One attempt in flight: receives a possibly hostile response within limits and turns whatever
 * happens into exactly one outcome.
 */
import type { Clock } from '../../engine/clock.js';
import { GatheredBytes } from '../../http/bytes/gathered-bytes.js';
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';
import type { OutboundExchange } from './connection.js';

/** How many bytes beyond those kept are read to leave the connection usable; then it is closed. */
const discardBytesMax = 1024 * 1024;
const headerFieldsMax = 256;
const interimResponsesMax = 16;

const switchingProtocols = 101;

const stages = {
  connecting: 'connecting',
  sent: 'waiting for the response',
  answered: 'reading the response body',
};

const nothing = Buffer.alloc(0);
const none: readonly string[] = [];

/** `ended` is called exactly once, at the latest when the deadline of the attempt passes. */
export class OpenAttempt implements OutboundExchange {
  private readonly startedAt: number;
  private readonly startedTick: number;
  private readonly cancelDeadline: () => void;
  private drop: (() => void) | null = null;
  private stage: keyof typeof stages = 'connecting';
  private hasEnded = false;
  private interimResponses = 0;
  private status = 0;
  private headers: readonly string[] = none;
  private captured: GatheredBytes | null = null;
  private receivedBytes = 0;

  constructor(
    private readonly attempt: Pick<OutgoingAttempt, 'timeoutMs' | 'captureBytes'>,
    private readonly clock: Clock,
    private readonly ended: (outcome: AttemptOutcome) => void,
  ) {
    this.startedAt = clock.now();
    this.startedTick = clock.monotonic();
    this.cancelDeadline = clock.after(attempt.timeoutMs, () => {
      this.fail(`timed out after ${attempt.timeoutMs} ms ${stages[this.stage]}`);
    });
  }

  /** Cuts the attempt off without a result; does nothing if it has ended. */
  cut(): void {
    this.end(0, 'cut off because the server stops', true);
  }

  /** Ends the attempt as failed. */
  fail(reason: string): void {
    this.end(0, reason, false);
  }

  /** `drop` closes the connection of the attempt, or takes it out of the line. */
  placed(drop: () => void): void {
    this.drop = drop;
  }

  sent(): void {
    this.stage = 'sent';
  }

  interim(status: number): void {
    this.interimResponses += 1;
    if (status === switchingProtocols) {
      this.fail('the destination wants another protocol, which nothing asked for');
    } else if (this.interimResponses > interimResponsesMax) this.fail('too many interim responses');
  }

  answered(status: number, headers: readonly string[]): void {
    this.stage = 'answered';
    this.status = status;
    this.headers = headers;
    if (status < 100) {
      const digits = String(status).padStart(3, '0');
      this.fail(`the destination answered with status ${digits}, which HTTP does not have`);
    } else if (headers.length > headerFieldsMax * 2) {
      this.fail(`the response has more than ${headerFieldsMax} header fields`);
    }
  }

  data(chunk: Buffer): void {
    const { captureBytes } = this.attempt;
    this.captured ??= new GatheredBytes(captureBytes);
    const left = captureBytes - this.captured.length;
    if (left > 0) this.captured.add(chunk.length <= left ? chunk : chunk.subarray(0, left));
    this.receivedBytes += chunk.length;
    // The status is known and most of the body is not kept: reading on would be wasted.
    const isTooLong = this.receivedBytes - this.captured.length > discardBytesMax;
    if (isTooLong) this.end(this.status, null, false);
  }

  complete(): void {
    this.drop = null;
    this.end(this.status, null, false);
  }

  private end(status: number, error: string | null, cut: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.cancelDeadline();
    // Stop sending and reading; the next attempt gets a fresh connection.
    this.drop?.();
    const isComplete = status !== 0;
    const body = isComplete && this.captured !== null ? this.captured.bytes : nothing;
    this.ended({
      status,
      headers: isComplete ? this.headers : none,
      body,
      bodyTruncated: isComplete && this.receivedBytes > body.length,
      error,
      startedAt: this.startedAt,
      durationMs: this.clock.monotonic() - this.startedTick,
      cut,
    });
    this.captured = null;
  }
}
