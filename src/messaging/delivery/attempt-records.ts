/** What is recorded of an attempt that has ended. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { dialects } from '../../http/dialect.js';
import type { RecordAttempt } from '../messages/message.commands.js';
import { messageKind, type Published } from '../messages/message.events.js';
import { messageTerms } from '../messages/message-terms.js';
import { forbidsRetry } from '../messages/retry.policy.js';
import type { AttemptOutcome } from '../outbound/attempt-outcome.js';
import type { MessagingSettings } from '../settings.js';
import { answerDefect } from './answer.policy.js';
import { type AttemptMeaning, answerLimits, storedBytesMax } from './captured-answer.js';

const messagePrefixes = Object.values(dialects).map(({ messagePrefix }) =>
  messagePrefix.toLowerCase(),
);

@Injectable()
export class AttemptRecords {
  constructor(
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The command that records how attempt number `attempt` of a message has ended. */
  of({ id, event }: Published, attempt: number, outcome: AttemptOutcome): RecordAttempt {
    const { status, headers, startedAt, durationMs } = outcome;
    const { run } = event;
    const isSuccess = status >= 200 && status < 300;
    const isChecked = isSuccess && run !== null && run.answerCheck !== 'none';
    const defect = isChecked ? answerDefect(run, headers, messagePrefixes) : null;
    // A third party's answer is for the endpoint to judge (workflows.md 3.3).
    const isFinal =
      !isSuccess && run?.role !== 'call' && forbidsRetry(status, headers, messagePrefixes);
    const error = outcome.error ?? defect;
    const nonRetryable = isFinal || defect !== null;
    const isLast = nonRetryable || attempt >= event.maxRetries;
    const ended: AttemptMeaning = isLast ? 'failed' : 'retried';
    const meaning = isSuccess && error === null ? 'delivered' : ended;
    const bytesMax = storedBytesMax(event, meaning, answerLimits(this.config));
    const isCut = outcome.bodyTruncated || outcome.body.length > bytesMax;
    const record = { attempt, startedAt, durationMs, status, headers, error };
    return {
      type: 'RecordAttempt',
      kind: messageKind,
      id,
      at: this.clock.now(),
      record: isCut ? { ...record, bodyTruncated: true } : record,
      nonRetryable,
      responseBody: beginningOf(outcome.body, bytesMax),
      terms: messageTerms(event),
    };
  }
}

/** A copy, so that what is left out is not kept in memory. */
function beginningOf(body: Buffer, bytesMax: number): Buffer {
  return body.length <= bytesMax ? body : Buffer.from(body.subarray(0, bytesMax));
}
