/** Which runs wait for which event: a fold of the events of runs. */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { OpenWait, RunEvent } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.machine.js';

/** An open wait of a run. */
export interface Waiter {
  readonly runId: string;
  readonly stepId: number;
  /** Unix milliseconds. */
  readonly deadline: number;
  /** Journal offset of its `WaitOpened`. */
  readonly offset: number;
}

/**
 * Part of memory. Includes runs at rest, so that a notification finds its waiters without waking
 * other runs.
 */
export class RunWaiters implements Fold<RunEvent, RunState> {
  readonly interest: Interest<RunEvent> = {
    types: {
      RunStarted: ['inherited'],
      WaitOpened: true,
      WaitEnded: true,
      RunSucceeded: true,
      RunFailed: true,
      RunCanceled: true,
    },
  };
  /** By event, then by run and step: thousands may wait for one event. */
  private readonly waiters = new Map<string, Map<string, Waiter>>();
  readonly memory: FoldMemory = {
    name: 'waiters',
    maps: { waiters: this.waiters },
  };

  /** The open waits for an event, in the order in which they began. */
  of(eventId: string): readonly Waiter[] {
    const waiters = [...(this.waiters.get(eventId)?.values() ?? [])];
    // Sorted, because a resumed run adds older waits late, and so does the rollback of a refused
    // turn.
    return waiters.sort((one, other) => one.offset - other.offset);
  }

  evolve(
    { id, event, offset }: EventEnvelope<RunEvent>,
    changes: TurnChanges,
    { context }: Pick<RunState, 'context'>,
  ): void {
    switch (event.type) {
      case 'RunStarted':
        for (const wait of event.inherited?.waits ?? []) this.add(id, wait, changes);
        return;
      case 'WaitOpened':
        this.add(id, { offset, ...event }, changes);
        return;
      case 'WaitEnded':
        this.remove(id, event.eventId, event.step.id, changes);
        return;
      case 'RunSucceeded':
      case 'RunFailed':
      case 'RunCanceled':
        for (const { eventId, step } of context.waits) {
          this.remove(id, eventId, step.id, changes);
        }
    }
  }

  private add(runId: string, wait: OpenWait, changes: TurnChanges): void {
    const { eventId, step, deadline, offset } = wait;
    let waiters = this.waiters.get(eventId);
    if (waiters === undefined) {
      waiters = new Map();
      changes.set(this.waiters, keptText(eventId), waiters);
    }
    const waiter = { runId, stepId: step.id, deadline, offset };
    changes.set(waiters, keyOf(runId, step.id), waiter);
  }

  private remove(runId: string, eventId: string, stepId: number, changes: TurnChanges): void {
    const waiters = this.waiters.get(eventId);
    if (waiters === undefined) return;
    changes.delete(waiters, keyOf(runId, stepId));
    if (waiters.size === 0) changes.delete(this.waiters, eventId);
  }
}

function keyOf(runId: string, stepId: number): string {
  return `${stepId} ${runId}`;
}
