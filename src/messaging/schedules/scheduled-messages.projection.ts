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

/** A message that failed or was taken back. */
interface FailedMessage {
  readonly id: string;
  /** Journal offset of its end. */
  readonly offset: number;
}

/** Bounded by the messages that are pending and what each schedule's last trigger published. */
export class ScheduledMessages implements Fold {
  /** Message id to schedule id. */
  private readonly pending = new Map<string, string>();
  /** Schedule id to the messages that failed since its last trigger; every schedule is in it. */
  private readonly failed = new Map<string, readonly FailedMessage[]>();

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

  evolve({ kind, id, offset, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    if (kind === messageKind) this.evolveMessage({ id, offset }, event as MessageEvent, changes);
    else if (kind === scheduleKind) this.evolveSchedule(id, event as ScheduleEvent, changes);
  }

  private evolveMessage(ended: FailedMessage, event: MessageEvent, changes: TurnChanges): void {
    const { id } = ended;
    if (event.type === 'MessagePublished') {
      if (event.scheduleId !== null) changes.set(this.pending, id, event.scheduleId);
      return;
    }
    const scheduleId = this.pending.get(id);
    if (scheduleId === undefined || event.type === 'AttemptFailed') return;
    changes.delete(this.pending, id);
    const failed = this.failed.get(scheduleId);
    // A schedule that is deleted hears no more of its messages.
    if (event.type === 'MessageDelivered' || failed === undefined) return;
    changes.set(this.failed, scheduleId, [...failed, ended]);
  }

  private evolveSchedule(id: string, { type }: ScheduleEvent, changes: TurnChanges): void {
    if (type === 'ScheduleDeleted') changes.delete(this.failed, id);
    else if (type === 'ScheduleTriggered' || !this.failed.has(id)) {
      changes.set(this.failed, id, none);
    }
  }
}

const none: readonly FailedMessage[] = [];
