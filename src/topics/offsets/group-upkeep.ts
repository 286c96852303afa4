/** What groups want done for them: expired once they are empty for long, forgotten once deleted. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { ConsumerGroupCommand } from '../groups/consumer-group.commands.js';
import type { ExpireGroupEffect, ForgetOffsets } from '../groups/consumer-group.decider.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import { CommittedOffsets } from './committed-offsets.js';

const nothing = () => undefined;

/** Deletes a group that has had no member for long. */
@Injectable()
export class GroupExpiry implements EffectCarrier<ExpireGroupEffect> {
  constructor(
    private readonly engine: Engine,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource, { emptySince }: ExpireGroupEffect): () => void {
    const command: ConsumerGroupCommand = {
      ...{ type: 'ExpireGroup', kind: consumerGroupKind, id, at: this.clock.now(), emptySince },
    };
    this.engine.dispatchAndForget([command]);
    return nothing;
  }
}

/** The name of a deleted group is free once its offsets are removed. */
@Injectable()
export class OffsetRemoval implements EffectCarrier<ForgetOffsets> {
  constructor(
    private readonly engine: Engine,
    private readonly offsets: CommittedOffsets,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource): () => void {
    const command: ConsumerGroupCommand = {
      ...{ type: 'RemoveGroup', kind: consumerGroupKind, id, at: this.clock.now() },
    };
    void this.offsets.forgetGroup(id).then(() => this.engine.dispatchAndForget([command]));
    return nothing;
  }
}
