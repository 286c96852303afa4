/** What groups want done for them: expired once they are empty for long, forgotten once deleted. */
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { ConsumerGroupCommand } from '../groups/consumer-group.commands.js';
import type { ExpireGroupEffect, ForgetOffsets } from '../groups/consumer-group.decider.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import type { CommittedOffsets } from './committed-offsets.js';

type Tell = (commands: readonly Command[]) => void;

const nothing = () => undefined;

/** Deletes a group that has had no member for long. */
export class GroupExpiry implements EffectCarrier<ExpireGroupEffect> {
  constructor(
    private readonly clock: Clock,
    private readonly tell: Tell,
  ) {}

  start({ id }: EffectSource, { emptySince }: ExpireGroupEffect): () => void {
    const command: ConsumerGroupCommand = {
      ...{ type: 'ExpireGroup', kind: consumerGroupKind, id, at: this.clock.now(), emptySince },
    };
    this.tell([command]);
    return nothing;
  }
}

/** The name of a deleted group is free once nothing of it is stored. */
export class OffsetRemoval implements EffectCarrier<ForgetOffsets> {
  constructor(
    private readonly offsets: CommittedOffsets,
    private readonly clock: Clock,
    private readonly tell: Tell,
  ) {}

  start({ id }: EffectSource): () => void {
    const command: ConsumerGroupCommand = {
      ...{ type: 'RemoveGroup', kind: consumerGroupKind, id, at: this.clock.now() },
    };
    void this.offsets.forgetGroup(id).then(() => this.tell([command]));
    return nothing;
  }
}
