/** Lists pending messages in pages, newest first, within a budget. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { JournalAroundDamage } from '../../engine/reading/journal-around-damage.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import type { LogCursor } from '../logs/log-cursor.js';
import { LogPage, type LogPageContent } from '../logs/log-page.js';
import { Messages } from '../messages/message.entity.js';
import type { Published } from '../messages/message.events.js';
import { matchesOrigin } from '../messages/message-filter.js';
import { type MessageObject, messageObject } from '../messages/message-object.js';
import { isPublished } from '../messages/recorded-events.js';
import { candidatesOf } from './message-candidates.js';
import type { MessageListQuery } from './message-list.request.js';
import { pendingStanding, type Standing } from './message-standing.js';

/** A message without its body. */
export interface MessageRow extends MessageObject, Standing {
  /** The journal offset of its publish. */
  readonly offset: number;
}

/** The budget of one page; most pages take some tens of milliseconds. */
const budget = { events: 20_000, milliseconds: 1000 };

/** A message that ends while a page is made is left out. */
@Injectable()
export class MessageList {
  constructor(
    private readonly messages: Messages,
    private readonly journal: Journal,
    private readonly calls: EndpointCalls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Reads one page. A short page with a cursor holds what could be found within its budget; without
   * a cursor there are no more messages.
   */
  async page(query: MessageListQuery): Promise<LogPageContent<MessageRow>> {
    const end = await this.messages.shown(() => this.journal.endOffset);
    const until = query.cursor?.at === 'journal' ? Math.min(end, query.cursor.offset) : end;
    const { messages, journal, calls, clock } = this;
    const source = { messages, journal, calls };
    const { offsets, isCut } = await candidatesOf(source, query, until, clock.now());
    const page = new LogPage<Published>(query.count, clock, budget);
    let last: Published | null = null;
    const intact = new JournalAroundDamage(journal, page.damage);
    for await (const published of intact.readEach(offsets)) {
      if (!isPublished(published)) continue;
      last = published;
      page.cost.spend();
      if (matchesOrigin(published.event, published.at, query)) {
        page.add({ row: published, characters: charactersOf(published) }, placeOf(published));
      }
      if (!page.isFull && page.cost.isSpent) page.interrupt(placeOf(published), published.at);
      if (page.isFull) break;
    }
    if (isCut && last !== null && !page.isFull) page.interrupt(placeOf(last), last.at);
    const { rows, ...rest } = page.content;
    return { rows: await this.rows(rows), ...rest };
  }

  /** The rows as of one durable moment; messages that are final by then are left out. */
  private rows(published: readonly Published[]): Promise<readonly MessageRow[]> {
    return this.messages.shown(() => {
      const now = this.clock.now();
      return published.flatMap((each): MessageRow[] => {
        const message = this.messages.pending(each.id);
        if (message === undefined) return [];
        const standing = pendingStanding(message, this.calls.startedAt(each.id), now);
        return [{ ...messageObject(each, null), ...standing, offset: each.offset }];
      });
    });
  }
}

function placeOf({ offset }: Published): LogCursor {
  return { at: 'journal', offset, place: 0 };
}

/** The approximate size of a row, since headers can be long. */
function charactersOf({ event }: Published): number {
  return event.headers.reduce((sum, text) => sum + text.length, event.url.length);
}
