/** Wiring of the views of messages; this module decides nothing and remembers nothing. */
import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { WhyMessageModule } from '../why/why-message.module.js';
import { MessageList } from './message-list.js';
import { ShownMessages } from './shown-message.js';
import { ShownMessagesController } from './shown-messages.controller.js';

/** Above `why`, which reads how a message ended. */
@Module({
  imports: [DeliveryModule, MessagesModule, WhyMessageModule],
  controllers: [ShownMessagesController],
  providers: [MessageList, ShownMessages],
})
export class ShownMessagesModule {}
