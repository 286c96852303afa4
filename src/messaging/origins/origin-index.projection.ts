/** How many origins are paused. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { OriginView } from './origin.decider.js';
import type { OriginEvent } from './origin.events.js';

/** Part of memory, by which the decider bounds how many may be paused. */
export class OriginIndex implements Fold<OriginEvent>, OriginView {
  /** Since when, Unix milliseconds. */
  private readonly paused = new Map<string, number>();
  readonly memory: FoldMemory = { name: 'origins', maps: { paused: this.paused } };

  get size(): number {
    return this.paused.size;
  }

  evolve({ id, at, event }: EventEnvelope<OriginEvent>, changes: TurnChanges): void {
    if (event.type === 'OriginPaused') changes.set(this.paused, id, at);
    else changes.delete(this.paused, id);
  }
}
