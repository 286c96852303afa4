import { consumerDecider } from '../../../src/topics/groups/consumer.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { consumerHistories, registerConsumers } from './consumer-histories.js';

describeLaws({
  decider: consumerDecider,
  commands: consumerHistories,
  register: registerConsumers,
});
