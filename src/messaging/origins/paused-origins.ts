/** The origins whose pause is durable: their gate opens when the resume is durable. */

import { type EventListener, type IndexMemory, onePart } from '../../engine/registration.js';
import type { OriginEvent } from './origin.events.js';

/** An index of durable events: it may lag behind the decider's own state by one commit. */
export class PausedOrigins {
  readonly durable = new Set<string>();
  private resumed: (origin: string) => void = () => undefined;

  readonly memory: IndexMemory<readonly string[]> = {
    name: 'paused origins',
    store: () => onePart([...this.durable]),
    restore: (stored) => {
      for (const origin of stored) this.durable.add(origin);
    },
  };

  readonly index: EventListener<OriginEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type === 'OriginPaused') this.durable.add(id);
      else {
        this.durable.delete(id);
        this.resumed(id);
      }
    }
  };

  /** `resumed` is called with each origin that is resumed. */
  onResumed(resumed: (origin: string) => void): void {
    this.resumed = resumed;
  }
}
