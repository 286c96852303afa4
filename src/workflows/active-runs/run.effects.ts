/** Ends a wait when it times out. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { EndWait } from '../run-state/run.commands.js';
import { runKind } from '../run-state/run.events.js';
import type { EndWaitEffect } from '../runs/run.decider.js';

/**
 * Runs at the deadline. A deadline that passed while the process was down is handled at startup.
 */
@Injectable()
export class WaitDeadlines implements EffectCarrier<EndWaitEffect> {
  constructor(
    private readonly engine: Engine,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
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
      messageId: newNames(this.identifiers, at).next('msg'),
      notification: null,
    };
    // Refused if a notification came first.
    this.engine.dispatchAndForget([command]);
    return () => {};
  }
}
