/** Which dead letters a request is about: by name, or page by page by what they match. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../engine/clock.js';
import type { EventEnvelope } from '../engine/decider.js';
import type { Engine } from '../engine/engine.js';
import type { Payloads } from '../engine/payloads.js';
import type { MessagePublished } from '../messages/message.events.js';
import {
  isAmong,
  isWithin,
  type MessageOrigin,
  matchesOrigin,
  originTerms,
} from '../messages/message-filter.js';
import type { DeadLetter, DeadLetters } from './dead-letters.projection.js';
import type { LetterFilters, ListFilters } from './dead-letters.request.js';

/** Letters looked at per tick. */
const looksPerTick = 4096;
/** What filters look at is remembered of so many letters. */
const originsMax = 20_000;

/** Some of the letters that were asked for. */
export interface LetterPage {
  readonly letters: readonly DeadLetter[];
  /** Begins with the last one's id where more follow; null = these are all. */
  readonly cursor: string | null;
}

export class DeadLetterSearch {
  private readonly origins = new LRUCache<number, MessageOrigin>({ max: originsMax });

  constructor(
    private readonly engine: Engine,
    private readonly letters: DeadLetters,
    private readonly payloads: Payloads,
    private readonly clock: Clock,
  ) {}

  /**
   * What a bulk action is about: the named letters in their order, or a page, oldest first. Its
   * pages are about the letters that there were at the first one: a message that is retried and
   * fails again must not be met a second time, or the walk would never end.
   */
  async bulk(filters: LetterFilters): Promise<LetterPage> {
    if (filters.dlqIds === null) {
      const newest = filters.cursor?.until ?? this.letters.all(this.clock.now()).at(-1)?.offset;
      const { letters, cursor } = await this.page(filters, 'earliestFirst');
      return { letters, cursor: cursor === null ? null : `${cursor}-${newest}` };
    }
    const letters = this.named(filters.dlqIds);
    await this.engine.durable();
    return { letters, cursor: null };
  }

  /** Those of the ids that there are, in their order. */
  named(ids: readonly string[]): DeadLetter[] {
    const now = this.clock.now();
    return [...new Set(ids)].flatMap((id) => this.letters.find(id, now) ?? []);
  }

  /** At most `count` letters behind the cursor. */
  async page(filters: LetterFilters, order: ListFilters['order']): Promise<LetterPage> {
    const { count } = filters;
    const letters = this.behindCursor(filters, order);
    await this.engine.durable();
    const page: DeadLetter[] = [];
    for (const [index, letter] of letters.entries()) {
      if (index % looksPerTick === looksPerTick - 1) await nextTick();
      if (!(await this.matches(letter, filters))) continue;
      const last = page.at(-1);
      if (last !== undefined && page.length === count) return { letters: page, cursor: last.id };
      page.push(letter);
    }
    return { letters: page, cursor: null };
  }

  private behindCursor(
    { dlqIds, cursor }: LetterFilters,
    order: ListFilters['order'],
  ): readonly DeadLetter[] {
    const letters =
      dlqIds === null
        ? this.letters.all(this.clock.now())
        : this.named(dlqIds).sort((one, other) => one.offset - other.offset);
    if (order === 'latestFirst') letters.reverse();
    if (cursor === null) return letters;
    const { until } = cursor;
    return letters.filter(({ offset }) => {
      const isBehind = order === 'latestFirst' ? offset < cursor.offset : offset > cursor.offset;
      return isBehind && (until === null || offset <= until);
    });
  }

  /** The journal is read only where memory cannot tell. */
  private async matches(letter: DeadLetter, filters: LetterFilters): Promise<boolean> {
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

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
