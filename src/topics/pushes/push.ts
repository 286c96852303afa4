/** One push of a partition while it is carried out. */
import type { PushNext } from '../subscriptions/subscription-partition.decider.js';
import {
  type SubscriptionPartitionPlace,
  subscriptionPartitionPlace,
} from '../subscriptions/subscription-partition.events.js';

/** Made for each start of the effect `pushNext`. */
export class Push {
  readonly place: SubscriptionPartitionPlace;
  isWanted = true;
  /** Where the damage begins that it waits at. */
  standsAt: number | null = null;
  private interrupt: () => void = () => undefined;

  /** `id` is that of the partition's stream. */
  constructor(
    readonly id: string,
    readonly effect: PushNext,
  ) {
    this.place = subscriptionPartitionPlace(id);
  }

  /** Settles when `begin` calls back, or when the push is not wanted any more. */
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

  /** It publishes nothing any more, and waits for nothing. */
  stop(): void {
    this.isWanted = false;
    this.interrupt();
  }
}
