/**
 * The states of the messages that schedules published, folded from their events. Memory holds
 * pending messages and the failed ones of the last trigger; all others of it succeeded.
 */
import type { Checkpointed, EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';
import { scheduleDecider } from './schedule.decider.js';
import type { ScheduleEvent } from './schedule.events.js';
import type { ScheduleState } from './schedule.machine.js';

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

type IndexedEvent = MessageEvent | ScheduleEvent | Checkpointed;

/** Its size is bounded by the pending messages and those of each schedule's last trigger. */
export class ScheduledMessages implements Fold<IndexedEvent> {
  /**
   * Message id to the schedule whose last trigger published it; '' = an earlier trigger did, or a
   * retry of a dead letter: any number of those may fail before the next trigger.
   */
  private readonly pending = new Map<string, string>();
  /** Schedule id to the failed messages of its last trigger; every schedule is in it. */
  private readonly failed = new Map<string, readonly FailedMessage[]>();
  readonly interest: Interest<IndexedEvent> = {
    types: {
      MessagePublished: ['scheduleId'],
      ScheduleCreated: true,
      ScheduleTriggered: true,
      SchedulePaused: true,
      ScheduleResumed: true,
      ScheduleDeleted: true,
      Checkpointed: true,
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
    { id, offset, event }: EventEnvelope<IndexedEvent>,
    changes: TurnChanges,
    before: unknown,
  ): void {
    switch (event.type) {
      case 'MessagePublished':
        if (event.scheduleId !== null) changes.set(this.pending, id, '');
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
        this.publishedBy('', lastOf(before), changes);
        changes.delete(this.failed, id);
        return;
      case 'ScheduleTriggered':
        this.publishedBy('', lastOf(before), changes);
        this.publishedBy(id, event.messageIds, changes);
        changes.set(this.failed, id, none);
        return;
      case 'Checkpointed':
        // Triggers before the checkpoint may have been swept.
        this.publishedBy('', lastOf(before), changes);
        this.publishedBy(id, lastOf(scheduleDecider.stored?.fromStored(event.state)), changes);
        return;
      default:
        if (!this.failed.has(id)) changes.set(this.failed, id, none);
    }
  }

  /** Assigns pending messages to the last trigger of `scheduleId`; '' = to an earlier trigger. */
  private publishedBy(scheduleId: string, ids: readonly string[], changes: TurnChanges): void {
    for (const id of ids) if (this.pending.has(id)) changes.set(this.pending, id, scheduleId);
  }

  private ended(message: FailedMessage, isFailed: boolean, changes: TurnChanges): void {
    const { id } = message;
    const scheduleId = this.pending.get(id);
    if (scheduleId === undefined) return;
    changes.delete(this.pending, id);
    const failed = this.failed.get(scheduleId);
    // A deleted schedule ignores its messages, and any schedule those before its last trigger.
    if (!isFailed || failed === undefined) return;
    changes.set(this.failed, scheduleId, [...failed, message]);
  }
}

/** The messages of the last trigger of a schedule in this state. */
function lastOf(state: unknown): readonly string[] {
  // The fold gets the states of schedules together with their events.
  return (state as ScheduleState | undefined)?.context.messageIds ?? [];
}

const none: readonly FailedMessage[] = [];
