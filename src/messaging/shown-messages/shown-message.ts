/** Shows users one message: while it is pending, and then until the logs forget it. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { MessageContents } from '../delivery/message-contents.js';
import { Messages } from '../messages/message.entity.js';
import type { Published } from '../messages/message.events.js';
import { type MessageObject, messageObject } from '../messages/message-object.js';
import { isPublished } from '../messages/recorded-events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { MessagingSettings } from '../settings.js';
import { MessageSituations } from '../why/message-situations.js';
import { endedStanding, pendingStanding, type Standing } from './message-standing.js';

/** What is needed to show a message. */
export interface FoundMessage {
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  readonly standing: Standing;
}

/** Shows messages redacted, as their options ask. */
@Injectable()
export class ShownMessages {
  constructor(
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly contents: MessageContents,
    private readonly calls: EndpointCalls,
    private readonly situations: MessageSituations,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly config: Pick<MessagingSettings, 'logRetentionMs'>,
  ) {}

  /** Finds a pending message; null = it is final, or never existed. */
  pending(id: string): Promise<FoundMessage | null> {
    return this.messages.shown(() => {
      const message = this.messages.pending(id);
      const publishedOffset = this.messages.actors.firstOffsetOf(id);
      if (message === undefined || publishedOffset === undefined) return null;
      const standing = pendingStanding(message, this.calls.startedAt(id), this.clock.now());
      return { publishedOffset, standing };
    });
  }

  /** Finds a message that ended within the retention of the logs; null = there is none. */
  async ended(id: string): Promise<FoundMessage | null> {
    const last = await this.situations.lastEvent(id);
    const ended = last === null ? null : await this.situations.endedBy(last);
    if (last === null || ended === null) return null;
    if (ended.at < this.clock.now() - this.config.logRetentionMs) return null;
    const published = await this.beginning(last.offset);
    if (published === null) return null;
    return { publishedOffset: published.offset, standing: endedStanding(ended) };
  }

  /** The object of the message, with only what may be shown. */
  async object({ publishedOffset, standing }: FoundMessage): Promise<MessageObject & Standing> {
    const published = await this.stored.published(publishedOffset);
    return { ...messageObject(published, await this.contents.readShown(published)), ...standing };
  }

  /** The publish of a message; null = it has left the journal. */
  private async beginning(lastOffset: number): Promise<Published | null> {
    for await (const envelope of this.journal.readStream(lastOffset)) {
      if (isPublished(envelope)) return envelope;
    }
    return null;
  }
}
