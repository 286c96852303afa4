import { topicDecider } from '../../../src/topics/topics/topic.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { registerTopics, topicCommands } from '../../support/deciders/topic-histories.js';

describeLaws({ decider: topicDecider, commands: topicCommands, register: registerTopics });
