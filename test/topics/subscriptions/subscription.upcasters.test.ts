import { subscriptionDecider } from '../../../src/topics/subscriptions/subscription.decider.js';
import { liftDeletedToVersion2 } from '../../../src/topics/subscriptions/subscription.upcasters.js';

describe('a deletion of version 1', () => {
  it.each([
    ['asked', 'request'],
    ['topicDeleted', 'topicDeleted'],
  ] as const)('with the cause %s reads as one with %s', (cause, today) => {
    const type = 'SubscriptionDeleted';
    expect(liftDeletedToVersion2({ type, cause })).toEqual({ type, cause: today });
  });

  it('is lifted wherever it is read', () => {
    expect(subscriptionDecider.events.SubscriptionDeleted).toEqual([liftDeletedToVersion2]);
  });
});
