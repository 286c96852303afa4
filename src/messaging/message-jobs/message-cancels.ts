/** The verb of jobs for pending messages: cancel (messaging.md 13). */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { ok, type Result } from '../../grammar/result.js';
import { readWritten } from '../../http/query-filters.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import {
  type JobItem,
  type JobRange,
  type JobStep,
  type JobSteps,
  type JobVerb,
  manyAtOnce,
  type WrittenJob,
} from '../jobs/job-verbs.js';
import { Messages } from '../messages/message.entity.js';
import { messageKind, type Published } from '../messages/message.events.js';
import { matchesOrigin } from '../messages/message-filter.js';
import { isPublished, messageTerms } from '../messages/recorded-events.js';
import { candidatesOf } from '../shown-messages/message-candidates.js';
import { messageSelection, type SelectedMessages } from '../shown-messages/message-list.request.js';

/** Only messages published before the job began are examined. */
@Injectable()
export class MessageCancels {
  constructor(
    private readonly messages: Messages,
    private readonly journal: Journal,
    private readonly calls: EndpointCalls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** For the table of verbs. */
  readonly verbs: readonly JobVerb[] = [
    {
      ...{ over: 'messages', verb: 'cancel', atOnce: manyAtOnce },
      ...{ takesRoom: false, takesOptions: false },
      read: (task) => this.steps(task),
    },
  ];

  private steps({ filters }: WrittenJob): Result<JobSteps> {
    const selected = readWritten(filters, messageSelection);
    return selected.ok ? ok((range) => this.walk(selected.value, range)) : selected;
  }

  /**
   * Positions are the offsets of publishes, newest first, so that no cancel lets the next message
   * of a queue start. Only a limited number of pending messages is in memory at a time.
   */
  private async *walk(
    query: SelectedMessages,
    { position, until }: JobRange,
  ): AsyncGenerator<JobStep> {
    const { messages, journal, calls, clock } = this;
    const source = { messages, journal, calls };
    for (let below = Math.min(position ?? until, until); ; ) {
      const begun = below;
      const { offsets, isCut } = await candidatesOf(source, query, below, clock.now());
      for await (const published of journal.readEach(offsets)) {
        if (!isPublished(published)) continue;
        const { offset, event, at } = published;
        below = offset;
        const isSelected = matchesOrigin(event, at, query) && messages.has(published.id);
        yield { position: offset, item: isSelected ? this.item(published) : null };
      }
      if (!isCut || below === begun) return;
    }
  }

  private item({ id, event }: Published): JobItem {
    const terms = messageTerms(event);
    return {
      id,
      prepare: async () =>
        ok(() => [{ type: 'CancelMessage', kind: messageKind, id, at: this.clock.now(), terms }]),
    };
  }
}
