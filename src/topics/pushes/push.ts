/** One push of a partition while it runs. */
import type { PushNext } from '../subscriptions/subscription-partition.decider.js';
import {
  type SubscriptionPartitionPlace,
  subscriptionPartitionPlace,
} from '../subscriptions/subscription-partition.events.js';

/** Created for each start of the effect `pushNext`. */
export class Push {
  readonly place: SubscriptionPartitionPlace;
  isWanted = true;
  /** The start of the damage at which the push waits. */
  standsAt: number | null = null;
  private interrupt: () => void = () => undefined;

  /** `id` is the id of the partition's stream. */
  constructor(
    readonly id: string,
    readonly effect: PushNext,
  ) {
    this.place = subscriptionPartitionPlace(id);
  }

  /** Resolves when `begin` calls back, or when the push is stopped. */
  wait(begin: (wake: () => void) => () => void): Promise<void> {
    if (!this.isWanted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = begin(resolve);
      this.interrupt = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Stops the push: it publishes nothing and waits for nothing any more. */
  stop(): void {
    this.isWanted = false;
    this.interrupt();
  }
}
