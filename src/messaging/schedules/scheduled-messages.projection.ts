/**
 * The states of the messages that schedules published, folded from their events. Memory holds only
 * messages that are pending and those that failed since the last trigger; all others succeeded.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';
import type { ScheduleEvent } from './schedule.events.js';

/** The states as they are spelled on the wire (messaging.md 7: `lastScheduleStates`). */
export const scheduledMessageStates = ['IN_PROGRESS', 'SUCCESS', 'FAIL'] as const;
/** One of these states, as the object of a schedule spells it. */
export type ScheduledMessageState = (typeof scheduledMessageStates)[number];

/** A message that failed or was canceled. */
interface FailedMessage {
  readonly id: string;
  /** Journal offset of its end. */
  readonly offset: number;
}

/** Its size is bounded by the pending messages and those of the last trigger of each schedule. */
export class ScheduledMessages implements Fold<MessageEvent | ScheduleEvent> {
  /** Message id to schedule id. */
  private readonly pending = new Map<string, string>();
  /** Schedule id to the messages that failed since its last trigger; every schedule is in it. */
  private readonly failed = new Map<string, readonly FailedMessage[]>();
  readonly interest: Interest<MessageEvent | ScheduleEvent> = {
    types: {
      MessagePublished: ['scheduleId'],
      ScheduleCreated: true,
      ScheduleTriggered: true,
      SchedulePaused: true,
      ScheduleResumed: true,
      ScheduleDeleted: true,
    },
    streams: [this.pending],
  };
  readonly memory: FoldMemory = {
    name: 'scheduled messages',
    maps: { pending: this.pending, failed: this.failed },
  };

  /** Whether a schedule published this message and it is not final. */
  isPending(messageId: string): boolean {
    return this.pending.has(messageId);
  }

  /** The state of each of `messageIds`, which the last trigger of the schedule published. */
  states(scheduleId: string, messageIds: readonly string[]): Record<string, ScheduledMessageState> {
    const failed = new Set(this.failed.get(scheduleId)?.map(({ id }) => id));
    const stateOf = (id: string): ScheduledMessageState => {
      if (this.pending.has(id)) return 'IN_PROGRESS';
      return failed.has(id) ? 'FAIL' : 'SUCCESS';
    };
    return Object.fromEntries(messageIds.map((id) => [id, stateOf(id)]));
  }

  *references(): Generator<number> {
    for (const failed of this.failed.values()) for (const { offset } of failed) yield offset;
  }

  evolve(
    { id, offset, event }: EventEnvelope<MessageEvent | ScheduleEvent>,
    changes: TurnChanges,
  ): void {
    switch (event.type) {
      case 'MessagePublished':
        if (event.scheduleId !== null) changes.set(this.pending, id, event.scheduleId);
        return;
      case 'MessageDelivered':
      case 'MessageFailed':
      case 'MessageCompleted':
      case 'MessageCanceled':
        this.ended({ id, offset }, event.type !== 'MessageDelivered', changes);
        return;
      case 'AttemptFailed':
      case 'MessageRescheduled':
        return;
      case 'ScheduleDeleted':
        changes.delete(this.failed, id);
        return;
      default:
        if (event.type === 'ScheduleTriggered' || !this.failed.has(id)) {
          changes.set(this.failed, id, none);
        }
    }
  }

  private ended(message: FailedMessage, isFailed: boolean, changes: TurnChanges): void {
    const { id } = message;
    const scheduleId = this.pending.get(id);
    if (scheduleId === undefined) return;
    changes.delete(this.pending, id);
    const failed = this.failed.get(scheduleId);
    // A deleted schedule learns nothing more about its messages.
    if (!isFailed || failed === undefined) return;
    changes.set(this.failed, scheduleId, [...failed, message]);
  }
}

const none: readonly FailedMessage[] = [];
