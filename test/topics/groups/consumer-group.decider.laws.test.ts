import { describeLaws } from '../../support/deciders/decider-laws.js';
import { consumerHistories, groupDecider, registerConsumers } from './consumer-histories.js';

describeLaws({ decider: groupDecider, commands: consumerHistories, register: registerConsumers });
