/** What groups want done for them: expired once they are empty for long, forgotten once deleted. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { WallClockWatch } from '../../engine/history/wall-clock-watch.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { ConsumerGroupCommand } from '../groups/consumer-group.commands.js';
import type { ExpireGroupEffect, ForgetOffsets } from '../groups/consumer-group.decider.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import { CommittedOffsets } from './committed-offsets.js';

const nothing = () => undefined;

/** While the clock is not believed, whether it is by now is looked at this often. */
const lookAgainMs = 60_000;

/**
 * Deletes a group that has had no member for long. Where a group was is lost for good, so that a
 * clock which has jumped deletes none (ADR 11): what it says is due waits until it is believed, or
 * is due by the clock that was set back.
 */
@Injectable()
export class GroupExpiry implements EffectCarrier<ExpireGroupEffect> {
  /** By group: those that have been due. */
  private readonly due = new Map<string, ExpireGroupEffect>();
  private isWaiting = false;

  constructor(
    private readonly engine: Engine,
    private readonly wallClock: WallClockWatch,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource, effect: ExpireGroupEffect): () => void {
    if (this.wallClock.isTrusted()) {
      this.expire(id, effect);
      return nothing;
    }
    this.due.set(id, effect);
    this.lookLater();
    return () => this.due.delete(id);
  }

  /** One timer for all of them: a clock that jumps may find every group due. */
  private lookLater(): void {
    if (this.isWaiting || this.due.size === 0) return;
    this.isWaiting = true;
    this.clock.after(lookAgainMs, () => {
      this.isWaiting = false;
      this.look();
      this.lookLater();
    });
  }

  private look(): void {
    if (!this.wallClock.isTrusted()) return;
    const now = this.clock.now();
    for (const [id, effect] of this.due) {
      if (effect.notBefore > now) continue;
      this.due.delete(id);
      this.expire(id, effect);
    }
  }

  private expire(id: string, { emptySince }: ExpireGroupEffect): void {
    const command: ConsumerGroupCommand = {
      ...{ type: 'ExpireGroup', kind: consumerGroupKind, id, at: this.clock.now(), emptySince },
    };
    this.engine.dispatchAndForget([command]);
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
