/** How dead letters failed, as groups and filters compare it. */
import { Injectable } from '@nestjs/common';
import { RandomlyKept } from '../../grammar/collections.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { errorClass } from './error-class.policy.js';

/** The properties that the failures of a group have in common. */
export interface LetterFailure {
  /** 0 = there was no answer. */
  readonly responseStatus: number;
  /** Scheme, host and port of the destination. */
  readonly origin: string;
  /** Why there was no answer, or the text of the answer; numbers are replaced by `#`. */
  readonly error: string;
}

/** Journal offsets of a letter's failure and of the publishing of its message. */
interface FailedLetter {
  readonly offset: number;
  readonly publishedOffset: number;
}

/** For how many letters the failure is remembered. */
const failuresMax = 20_000;
/** How many bytes of an answer are decoded. */
const answerBytesMax = 1024;

/**
 * Reads failures from the journal, and remembers those of a limited number of letters, so that the
 * next request has to read few of them again.
 */
@Injectable()
export class LetterFailures {
  private readonly failures = new RandomlyKept<number, LetterFailure>(failuresMax);

  constructor(private readonly stored: StoredMessages) {}

  /** How a letter failed. Rejects if the journal cannot be read. */
  async of({ offset, publishedOffset }: FailedLetter): Promise<LetterFailure> {
    const known = this.failures.get(offset);
    if (known !== undefined) return known;
    const { event, body } = await this.stored.failed(offset);
    const published = await this.stored.published(publishedOffset);
    const answer = body?.subarray(0, answerBytesMax).toString() ?? '';
    const failure = {
      responseStatus: event.status,
      origin: new URL(published.event.url).origin,
      error: errorClass(event.error ?? answer),
    };
    this.failures.set(offset, failure);
    return failure;
  }
}
