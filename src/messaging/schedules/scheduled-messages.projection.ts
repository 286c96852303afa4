/**
 * What became of the messages that schedules published: a fold of their events. Memory follows the
 * messages that are pending and those that failed since the last trigger; the others succeeded.
 */
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';
import type { Fold } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { type MessageEvent, messageKind } from '../messages/message.events.js';
import { type ScheduleEvent, scheduleKind } from './schedule.events.js';

/** As the wire says it (messaging.md 7: `lastScheduleStates`). */
export const scheduledMessageStates = ['IN_PROGRESS', 'SUCCESS', 'FAIL'] as const;
export type ScheduledMessageState = (typeof scheduledMessageStates)[number];

export class ScheduledMessages implements Fold {
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

  evolve({ kind, id, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    if (kind === messageKind) this.evolveMessage(id, event as MessageEvent, changes);
    else if (kind === scheduleKind) this.evolveSchedule(id, event as ScheduleEvent, changes);
  }

  private evolveMessage(id: string, event: MessageEvent, changes: TurnChanges): void {
    if (event.type === 'MessagePublished') {
      if (event.scheduleId !== null) changes.set(this.pending, id, event.scheduleId);
      return;
    }
    const scheduleId = this.pending.get(id);
    if (scheduleId === undefined || event.type === 'AttemptFailed') return;
    changes.delete(this.pending, id);
    if (event.type === 'MessageDelivered') return;
    changes.set(this.failed, scheduleId, [...(this.failed.get(scheduleId) ?? []), id]);
  }

  private evolveSchedule(id: string, { type }: ScheduleEvent, changes: TurnChanges): void {
    if (type !== 'ScheduleTriggered' && type !== 'ScheduleDeleted') return;
    if (this.failed.has(id)) changes.delete(this.failed, id);
  }
}
