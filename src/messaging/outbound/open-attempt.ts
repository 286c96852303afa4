/**
 * One attempt in flight: receives a possibly hostile response within limits and turns whatever
 * happens into exactly one outcome.
 */
import type { Clock } from '../../engine/clock.js';
import { GatheredBytes } from '../../http/bytes/gathered-bytes.js';
import { type AnswerRoom, uncountedBytesMax } from './answer-room.js';
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';
import type { ExchangePlace, OutboundExchange } from './connection.js';

/** How many bytes beyond those kept are read to leave the connection usable; then it is closed. */
const discardBytesMax = 1024 * 1024;
const headerFieldsMax = 256;
const interimResponsesMax = 16;

const switchingProtocols = 101;

const stages = {
  connecting: 'connecting',
  sent: 'waiting for the response',
  answered: 'reading the response body',
  full: 'waiting until other long responses leave memory',
};

const nothing = Buffer.alloc(0);
const none: readonly string[] = [];

/** `ended` is called exactly once, at the latest when the deadline of the attempt passes. */
export class OpenAttempt implements OutboundExchange {
  private readonly startedAt: number;
  private readonly startedTick: number;
  private readonly cancelDeadline: () => void;
  private place: ExchangePlace | null = null;
  private stage: keyof typeof stages = 'connecting';
  private hasEnded = false;
  private interimResponses = 0;
  private status = 0;
  private headers: readonly string[] = none;
  private captured: GatheredBytes | null = null;
  private receivedBytes = 0;
  /** Whether room for a long response was asked for. */
  private isCounted = false;

  constructor(
    private readonly attempt: Pick<OutgoingAttempt, 'timeoutMs' | 'captureBytes'>,
    private readonly clock: Clock,
    private readonly room: AnswerRoom,
    private readonly ended: (outcome: AttemptOutcome) => void,
  ) {
    this.startedAt = clock.now();
    this.startedTick = clock.monotonic();
    this.cancelDeadline = clock.after(attempt.timeoutMs, () => {
      // If this process was busy meanwhile, the answer may have come in time and was not read.
      setImmediate(() =>
        this.fail(`timed out after ${attempt.timeoutMs} ms ${stages[this.stage]}`),
      );
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

  placed(place: ExchangePlace): void {
    this.place = place;
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
    if (!this.isCounted && this.captured.length > uncountedBytesMax) this.count();
    // The status is known and most of the body is not kept: reading on would be wasted.
    const isTooLong = this.receivedBytes - this.captured.length > discardBytesMax;
    if (isTooLong) this.end(this.status, null, false);
  }

  complete(): void {
    // The connection carries the next request: if it was paused, it must go on.
    if (this.stage === 'full') this.place?.resume();
    this.place = null;
    this.end(this.status, null, false);
  }

  /** Reads on once there is room for all that is kept of a long response. */
  private count(): void {
    this.isCounted = true;
    const { captureBytes } = this.attempt;
    const bytes = Math.min(lengthIn(this.headers) ?? captureBytes, captureBytes);
    const hasRoom = this.room.take(bytes, () => {
      this.stage = 'answered';
      this.place?.resume();
    });
    if (hasRoom) return;
    this.stage = 'full';
    this.place?.pause();
  }

  private end(status: number, error: string | null, cut: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.cancelDeadline();
    // Stop sending and reading; the next attempt gets a fresh connection.
    this.place?.drop();
    const isComplete = status !== 0;
    const body = isComplete && this.captured !== null ? this.captured.bytes : nothing;
    const isLong = body.length > uncountedBytesMax;
    if (!isLong) this.room.release();
    this.ended({
      status,
      headers: isComplete ? this.headers : none,
      body,
      bodyTruncated: isComplete && this.receivedBytes > body.length,
      error,
      startedAt: this.startedAt,
      durationMs: this.clock.monotonic() - this.startedTick,
      cut,
      release: isLong ? () => this.room.release() : undefined,
    });
    this.captured = null;
  }
}

/** The content length of a response; null = it does not say. */
function lengthIn(headers: readonly string[]): number | null {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === 'content-length') return Number(headers[index + 1]);
  }
  return null;
}
