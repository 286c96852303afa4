/** Whether a dead letter is one of those that filters ask for. */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Payloads } from '../../engine/payloads.js';
import type { MessagePublished } from '../messages/message.events.js';
import {
  isAmong,
  isWithin,
  type MessageOrigin,
  matchesOrigin,
  originTerms,
} from '../messages/message-filter.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { LetterFilters } from './dead-letters.request.js';

/** What filters look at is remembered of so many letters. */
const originsMax = 20_000;

export class DeadLetterMatching {
  private readonly origins = new LRUCache<number, MessageOrigin>({ max: originsMax });

  constructor(private readonly payloads: Payloads) {}

  /** The journal is read only where memory cannot tell. */
  async matches(letter: DeadLetter, filters: LetterFilters): Promise<boolean> {
    if (
      !isWithin(letter.at, filters) ||
      !isAmong(letter.messageId, filters.messageId) ||
      !isAmong(letter.responseStatus, filters.responseStatus)
    ) {
      return false;
    }
    if (originTerms(filters).length === 0 && filters.callerIp === null) return true;
    return matchesOrigin(await this.originOf(letter), letter.at, filters);
  }

  private async originOf({ publishedOffset }: DeadLetter): Promise<MessageOrigin> {
    const known = this.origins.get(publishedOffset);
    if (known !== undefined) return known;
    const envelope = await this.payloads.read(publishedOffset);
    const { event } = envelope as EventEnvelope<MessagePublished>;
    const { url, topicName, queueName, scheduleId, labels, flowControl, callerIp } = event;
    const origin = { url, topicName, queueName, scheduleId, labels, flowControl, callerIp };
    this.origins.set(publishedOffset, origin);
    return origin;
  }
}
