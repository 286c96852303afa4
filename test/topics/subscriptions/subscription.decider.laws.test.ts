import { subscriptionDecider } from '../../../src/topics/subscriptions/subscription.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { registerSubscriptions, subscriptionHistories } from './subscription-histories.js';

describeLaws({
  decider: subscriptionDecider,
  commands: subscriptionHistories,
  register: registerSubscriptions,
});
