/**
 * Carries out the effects of groups: expires groups that were empty for too long, and removes the
 * offsets of deleted groups.
 */
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

/** How often to check whether the clock is trusted again. */
const checkAgainMs = 60_000;

/**
 * Deletes a group that has had no member for too long. The positions of a group are then lost for
 * good, so a clock that has jumped must delete none (ADR 11): a due expiry waits until the clock is
 * trusted, or until it is due again by the corrected clock.
 */
@Injectable()
export class GroupExpiry implements EffectCarrier<ExpireGroupEffect> {
  /** Expiries that were due while the clock was not trusted, by group. */
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

  /** One timer for all of them, because after a clock jump every group may be due. */
  private lookLater(): void {
    if (this.isWaiting || this.due.size === 0) return;
    this.isWaiting = true;
    this.clock.after(checkAgainMs, () => {
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

/** Removes the offsets of a deleted group, and then frees its name. */
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
