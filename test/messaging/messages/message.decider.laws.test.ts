import { messageDecider } from '../../../src/messaging/messages/message.decider.js';
import { describeLaws } from '../../support/deciders/decider-laws.js';
import { messageCommands, registerMessages } from '../../support/deciders/message-histories.js';

describeLaws({
  decider: messageDecider(),
  commands: messageCommands,
  register: (engine) => registerMessages(engine).deduplication,
});
