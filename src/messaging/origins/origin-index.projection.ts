/** Counts the paused origins. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { OriginView } from './origin.decider.js';
import type { OriginEvent } from './origin.events.js';

/** A part of memory that lets the decider limit how many origins are paused. */
export class OriginIndex implements Fold<OriginEvent>, OriginView {
  /** When each was paused, Unix milliseconds. */
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
