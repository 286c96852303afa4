/** How the end of a wait is carried out when its time is over: the run is told. */
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { EndWait } from '../run-state/run.commands.js';
import { runKind } from '../run-state/run.events.js';
import type { EndWaitEffect } from '../runs/run.decider.js';

export class WaitDeadlines implements EffectCarrier<EndWaitEffect> {
  constructor(
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly identifiers: Identifiers,
  ) {}

  start({ id }: EffectSource, { stepId, waitOffset }: EndWaitEffect): () => void {
    const at = this.clock.now();
    const command: EndWait = {
      type: 'EndWait',
      kind: runKind,
      id,
      at,
      stepId,
      waitOffset,
      messageId: `msg_${this.identifiers.turnSeed(at)}`,
      notification: null,
    };
    // Where a notification came first, it has the word.
    this.engine.tell([command]);
    return () => {};
  }
}
