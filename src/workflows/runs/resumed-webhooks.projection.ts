/** Which active runs continue failed runs that had announced webhooks: a fold of their events. */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { RunEvent } from '../run-state/run.events.js';

const none: ReadonlyMap<string, true> = new Map();

/**
 * Part of memory. The URL of a webhook names forever the run that announced it, because third
 * parties hold the URL. A call of it reaches the resumed run while that run is active, however
 * often it was resumed.
 */
export class ResumedWebhooks implements Fold<RunEvent> {
  readonly interest: Interest<RunEvent> = {
    types: {
      RunStarted: ['inherited'],
      RunSucceeded: true,
      RunFailed: true,
      RunCanceled: true,
    },
  };
  /**
   * By announcing run, the runs that continue it; several, since an id may be reused and fail
   * again.
   */
  private readonly called = new Map<string, Map<string, true>>();
  /** For each run in `called`, the runs that it continues. */
  private readonly announcers = new Map<string, readonly string[]>();
  readonly memory: FoldMemory = {
    name: 'resumed webhooks',
    maps: { called: this.called, announcers: this.announcers },
  };

  /**
   * The runs that a call of this run's webhook may be meant for: the run itself and those that
   * continue it.
   */
  calledAs(announcer: string): readonly string[] {
    return [announcer, ...(this.called.get(announcer) ?? none).keys()];
  }

  evolve({ id, event }: EventEnvelope<RunEvent>, changes: TurnChanges): void {
    if (event.type === 'RunStarted') this.add(id, event.inherited?.announcers ?? [], changes);
    else this.remove(id, changes);
  }

  private add(runId: string, announcers: readonly string[], changes: TurnChanges): void {
    if (announcers.length === 0) return;
    const id = keptText(runId);
    changes.set(this.announcers, id, announcers.map(keptText));
    for (const announcer of announcers) {
      let called = this.called.get(announcer);
      if (called === undefined) {
        called = new Map();
        changes.set(this.called, keptText(announcer), called);
      }
      changes.set(called, id, true);
    }
  }

  private remove(runId: string, changes: TurnChanges): void {
    const announcers = this.announcers.get(runId);
    if (announcers === undefined) return;
    for (const announcer of announcers) {
      const called = this.called.get(announcer);
      if (called === undefined) continue;
      changes.delete(called, runId);
      if (called.size === 0) changes.delete(this.called, announcer);
    }
    changes.delete(this.announcers, runId);
  }
}
