/**
 * One attempt in flight: takes a hostile response in under its limits and turns whatever happens
 * into one outcome.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../engine/clock.js';
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';
import { transportReason } from './transport-error.js';

/** Past what is kept, so much is read to leave the connection usable; then it is given up. */
const discardBytesMax = 1024 * 1024;
const headerFieldsMax = 256;
const interimResponsesMax = 16;

/** No code reads it: one for all, because its stack trace would cost more than a request. */
const endedEarly = new Error('the attempt has ended');

const stages = {
  connecting: 'connecting',
  sent: 'waiting for the response',
  answered: 'reading the response body',
};

export class OpenAttempt implements Dispatcher.DispatchHandler {
  private readonly startedAt: number;
  private readonly startedTick: number;
  private readonly cancelDeadline: () => void;
  private controller: Dispatcher.DispatchController | null = null;
  private stage: keyof typeof stages = 'connecting';
  private hasEnded = false;
  /** The whole response has come. */
  private isAnswered = false;
  private interimResponses = 0;
  private status = 0;
  private headers: readonly string[] = [];
  private captured: Buffer[] = [];
  private capturedBytes = 0;
  private receivedBytes = 0;

  constructor(
    private readonly attempt: OutgoingAttempt,
    private readonly clock: Clock,
    private readonly ended: (outcome: AttemptOutcome) => void,
  ) {
    this.startedAt = clock.now();
    this.startedTick = clock.monotonic();
    this.cancelDeadline = clock.after(attempt.timeoutMs, () => {
      this.fail(`timed out after ${attempt.timeoutMs} ms ${stages[this.stage]}`);
    });
  }

  /** Ends it without a result; does nothing where it has ended. */
  cut(): void {
    this.end(0, 'cut off because the server stops', true);
  }

  /** Ends it as a failure of its own. */
  fail(reason: string): void {
    this.end(0, reason, false);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.stage = 'sent';
    // The deadline came while the connection was being opened: nothing may be sent any more.
    if (this.hasEnded) controller.abort(endedEarly);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 100) {
      // The parser lets any three digits pass, and stumbles over these itself.
      const digits = String(status).padStart(3, '0');
      this.fail(`the destination answered with status ${digits}, which HTTP does not have`);
      return;
    }
    if (status < 200) {
      this.interimResponses += 1;
      if (this.interimResponses > interimResponsesMax) this.fail('too many interim responses');
      return;
    }
    this.stage = 'answered';
    this.status = status;
    this.headers = latin1(controller.rawHeaders);
    if (this.headers.length > headerFieldsMax * 2) {
      this.fail(`the response has more than ${headerFieldsMax} header fields`);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.hasEnded) return;
    const left = this.attempt.captureBytes - this.capturedBytes;
    if (left > 0) {
      const kept = chunk.length <= left ? chunk : chunk.subarray(0, left);
      this.captured.push(kept);
      this.capturedBytes += kept.length;
    }
    this.receivedBytes += chunk.length;
    // The status is known and most of the body is not wanted: reading on only costs.
    const isTooLong = this.receivedBytes - this.capturedBytes > discardBytesMax;
    if (isTooLong) this.end(this.status, null, false);
  }

  onResponseEnd(): void {
    this.isAnswered = true;
    this.end(this.status, null, false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(transportReason(error));
  }

  private end(status: number, error: string | null, cut: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.cancelDeadline();
    const isComplete = status !== 0;
    this.ended({
      status,
      headers: isComplete ? this.headers : [],
      body: isComplete ? Buffer.concat(this.captured, this.capturedBytes) : Buffer.alloc(0),
      bodyTruncated: isComplete && this.receivedBytes > this.capturedBytes,
      error,
      startedAt: this.startedAt,
      durationMs: this.clock.monotonic() - this.startedTick,
      cut,
    });
    this.captured = [];
    // The connection is destroyed, and undici opens a fresh one for the next attempt.
    if (!this.isAnswered) this.controller?.abort(endedEarly);
  }
}

function latin1(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((field) => (typeof field === 'string' ? field : field.toString('latin1')));
}
