/** The results of the latest triggers of a schedule, read from the journal. */
import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { Messages } from '../messages/message.entity.js';
import { type ScheduleTriggered, scheduleKind } from '../schedules/schedule.events.js';
import type { ScheduledMessageState } from '../schedules/scheduled-messages.projection.js';
import { MessageSituations } from '../why/message-situations.js';

/** The result of one trigger; times in Unix milliseconds. */
export interface ScheduleResult {
  readonly time: number;
  /** When it was due; if manual, when it was requested. */
  readonly dueAt: number;
  readonly isManual: boolean;
  /** How many messages the trigger published. */
  readonly messageCount: number;
  /** The states of the first messages, by id; swept messages are missing. */
  readonly states: Readonly<Record<string, ScheduledMessageState>>;
  /** Why nothing was published; absent if something was. */
  readonly error?: string;
}

/** How many messages of each trigger are looked up: a URL group can have 1,000 endpoints. */
const shownMessagesMax = 10;

/** How many events of a schedule are examined. */
const eventsMax = 1000;

/** Results that were swept are missing, and only a limited number of events is examined. */
@Injectable()
export class ScheduleResults {
  constructor(
    private readonly messages: Messages,
    private readonly situations: MessageSituations,
    private readonly journal: Journal,
  ) {}

  /** The latest triggers in the journal, newest first. */
  async latest(scheduleId: string, count: number): Promise<ScheduleResult[]> {
    const { startOffset: from, highWatermark: until } = this.journal;
    const range = { terms: [[scheduleId]], from, until, order: 'newest' as const };
    const results: ScheduleResult[] = [];
    let looks = 0;
    for await (const envelope of this.journal.query(range)) {
      looks += 1;
      if (isTrigger(envelope, scheduleId)) results.push(await this.result(envelope));
      if (results.length >= count || looks >= eventsMax) break;
    }
    return results;
  }

  private async result(envelope: EventEnvelope<ScheduleTriggered>): Promise<ScheduleResult> {
    const { at, by, event } = envelope;
    const { dueAt, messageIds, error } = event;
    const states: Record<string, ScheduledMessageState> = {};
    for (const id of messageIds.slice(0, shownMessagesMax)) {
      const state = await this.stateOf(id);
      if (state !== null) states[id] = state;
    }
    return {
      time: at,
      dueAt,
      isManual: by?.type === 'caller',
      messageCount: messageIds.length,
      states,
      ...(error !== null && { error }),
    };
  }

  /** The state of a message; null if it was swept: events of its schedule are kept longer. */
  private async stateOf(messageId: string): Promise<ScheduledMessageState | null> {
    if (this.messages.has(messageId)) return 'IN_PROGRESS';
    const last = await this.situations.lastEvent(messageId);
    if (last === null) return null;
    return last.event.type === 'MessageDelivered' ? 'SUCCESS' : 'FAIL';
  }
}

function isTrigger(
  envelope: EventEnvelope,
  scheduleId: string,
): envelope is EventEnvelope<ScheduleTriggered> {
  const { kind, id, event } = envelope;
  return kind === scheduleKind && id === scheduleId && event.type === 'ScheduleTriggered';
}
