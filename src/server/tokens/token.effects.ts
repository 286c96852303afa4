/** Removes a token when it expires. It is refused from that moment on in any case. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { ExpireToken } from './token.commands.js';
import type { ExpireTokenEffect } from './token.decider.js';
import { tokenKind } from './token.events.js';

const nothing = () => undefined;

/** Runs at `expiresAt`; if that passed while the process was down, it runs at the start. */
@Injectable()
export class TokenExpiry implements EffectCarrier<ExpireTokenEffect> {
  constructor(
    private readonly engine: Engine,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource): () => void {
    const at = this.clock.now();
    const command: ExpireToken = { type: 'ExpireToken', kind: tokenKind, id, at };
    this.engine.dispatchAndForget([command]);
    return nothing;
  }
}
