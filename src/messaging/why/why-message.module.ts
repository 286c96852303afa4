/** Wiring of the answers to why a message waits. */
import { Module } from '@nestjs/common';
import { DeadLettersModule } from '../dead-letters/dead-letters.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { MessageSituations } from './message-situations.js';
import { WhyMessageController } from './why-message.controller.js';

/** Exports the situations of messages, for listings and for `why` of runs. */
@Module({
  imports: [DeadLettersModule, DeliveryModule, MessagesModule],
  controllers: [WhyMessageController],
  providers: [MessageSituations],
  exports: [MessageSituations],
})
export class WhyMessageModule {}
