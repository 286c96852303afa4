/** Decides whether a dead letter matches filters. */
import { Injectable } from '@nestjs/common';
import { RandomlyKept } from '../../grammar/collections.js';
import { LetterFailures } from '../dead-letter-errors/letter-failures.js';
import {
  isAmong,
  isWithin,
  looksAtMessage,
  type MessageOrigin,
  matchesOrigin,
} from '../messages/message-filter.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { SelectedLetters } from './dead-letters.request.js';

/** For how many letters the fields that filters examine are remembered. */
const originsMax = 20_000;

/**
 * Shared by all users of filters: listing, bulk actions, groups and jobs. Rejects if the journal
 * cannot be read.
 */
@Injectable()
export class DeadLetterMatching {
  private readonly origins = new RandomlyKept<number, MessageOrigin>(originsMax);

  constructor(
    private readonly stored: StoredMessages,
    private readonly failures: LetterFailures,
  ) {}

  /** Whether a letter matches. The journal is read only if the fields are not in memory. */
  async matches(letter: DeadLetter, filters: SelectedLetters): Promise<boolean> {
    if (
      !isWithin(letter.at, filters) ||
      !isAmong(letter.messageId, filters.messageId) ||
      !isAmong(letter.responseStatus, filters.responseStatus)
    ) {
      return false;
    }
    if (looksAtMessage(filters)) {
      if (!matchesOrigin(await this.originOf(letter), letter.at, filters)) return false;
    }
    return filters.error === null || isAmong((await this.failures.of(letter)).error, filters.error);
  }

  private async originOf({ publishedOffset }: DeadLetter): Promise<MessageOrigin> {
    const known = this.origins.get(publishedOffset);
    if (known !== undefined) return known;
    const { event } = await this.stored.published(publishedOffset);
    const { url, topicName, queueName, scheduleId, labels } = event;
    const { flowControl, callerIp, callbackOf } = event;
    const names = { topicName, queueName, scheduleId, labels, flowControl };
    const origin = { url, callerIp, callbackOf, ...names };
    this.origins.set(publishedOffset, origin);
    return origin;
  }
}
