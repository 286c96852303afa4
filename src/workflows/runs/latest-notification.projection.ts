/**
 * Where the bytes of the latest notification are stored, so that many waits can share them: a fold.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { RunEvent } from '../run-state/run.events.js';

/**
 * Part of memory. The first wait that a notification ends stores its bytes; this lets the waits of
 * later turns share them.
 */
export class LatestNotification implements Fold<RunEvent> {
  readonly interest: Interest<RunEvent> = { types: { WaitEnded: ['notificationId'] } };
  /** At most one element: everything that one notification releases is released in one go. */
  private readonly latest = new Map<'latest', { readonly id: string; readonly offset: number }>();
  readonly memory: FoldMemory = {
    name: 'latest notification',
    maps: { latest: this.latest },
  };

  /** Journal offset of the event that stores the bytes; null = they are not stored yet. */
  offsetOf(notificationId: string): number | null {
    const latest = this.latest.get('latest');
    return latest?.id === notificationId ? latest.offset : null;
  }

  /** The latest notification is kept forever: it is only one. */
  *references(): Generator<number> {
    for (const { offset } of this.latest.values()) yield offset;
  }

  evolve({ event, offset, body }: EventEnvelope<RunEvent>, changes: TurnChanges): void {
    if (event.type !== 'WaitEnded' || event.notificationId === null || body === null) return;
    changes.set(this.latest, 'latest', { id: event.notificationId, offset });
  }
}
