import { partitionDecider } from '../../../src/topics/subscriptions/subscription-partition.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { registerSubscriptions, subscriptionHistories } from './subscription-histories.js';

describeLaws({
  decider: partitionDecider,
  commands: subscriptionHistories,
  register: registerSubscriptions,
});
