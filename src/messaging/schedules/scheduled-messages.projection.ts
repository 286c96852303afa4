/**
 * What became of the messages that schedules published: a fold of their events. Memory follows the
 * messages that are pending and those that failed since the last trigger; the others succeeded.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';
import type { ScheduleEvent } from './schedule.events.js';

/** As the wire says it (messaging.md 7: `lastScheduleStates`). */
export const scheduledMessageStates = ['IN_PROGRESS', 'SUCCESS', 'FAIL'] as const;
export type ScheduledMessageState = (typeof scheduledMessageStates)[number];

export class ScheduledMessages implements Fold<MessageEvent | ScheduleEvent> {
  /** Message id to schedule id. */
  private readonly pending = new Map<string, string>();
  /** Schedule id to the messages that failed since its last trigger. */
  private readonly failed = new Map<string, readonly string[]>();

  /** Whether a schedule published this message and it is not final. */
  isPending(messageId: string): boolean {
    return this.pending.has(messageId);
  }

  /** The state of each of `messageIds`, which the last trigger of the schedule published. */
  states(scheduleId: string, messageIds: readonly string[]): Record<string, ScheduledMessageState> {
    const failed = new Set(this.failed.get(scheduleId));
    const stateOf = (id: string): ScheduledMessageState => {
      if (this.pending.has(id)) return 'IN_PROGRESS';
      return failed.has(id) ? 'FAIL' : 'SUCCESS';
    };
    return Object.fromEntries(messageIds.map((id) => [id, stateOf(id)]));
  }

  evolve({ id, event }: EventEnvelope<MessageEvent | ScheduleEvent>, changes: TurnChanges): void {
    switch (event.type) {
      case 'MessagePublished':
        if (event.scheduleId !== null) changes.set(this.pending, id, event.scheduleId);
        return;
      case 'MessageDelivered':
      case 'MessageFailed':
      case 'MessageCompleted':
      case 'MessageCanceled':
        this.ended(id, event.type !== 'MessageDelivered', changes);
        return;
      case 'ScheduleTriggered':
      case 'ScheduleDeleted':
        if (this.failed.has(id)) changes.delete(this.failed, id);
    }
  }

  private ended(id: string, isFailed: boolean, changes: TurnChanges): void {
    const scheduleId = this.pending.get(id);
    if (scheduleId === undefined) return;
    changes.delete(this.pending, id);
    if (!isFailed) return;
    changes.set(this.failed, scheduleId, [...(this.failed.get(scheduleId) ?? []), id]);
  }
}
